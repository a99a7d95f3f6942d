// Source lines stand around the places that the plan names, and only while they are what was compiled.
#include <gmock/gmock.h>

#include "workspaces.h"

using namespace heddle;
using test::left_out;
using testing::Contains;

namespace {

const char* text = "one\ntwo\nthree\nfour </script> \xff\nfive\nsix\n";

const llvm::json::Object* view_at(const llvm::json::Object& document, int64_t line) {
  for (const llvm::json::Value& view : *document.getArray("sources"))
    if (view.getAsObject()->getInteger("line") == line) return view.getAsObject();
  return nullptr;
}

TEST(Sources, AreFoundInTheFolderThatIsNamed) {
  test::WorkFolder folder;
  folder.write("serve.c", text);
  folder.make_older("serve.c", std::chrono::seconds(5));
  const llvm::json::Object document = folder.document({{folder.path()}});
  const llvm::json::Object* site = view_at(document, 4);
  ASSERT_TRUE(site);
  EXPECT_EQ(site->getInteger("first"), 1);
  EXPECT_EQ((*site->getArray("lines"))[3].getAsString(), llvm::StringRef("four </script> \xef\xbf\xbd"));
  EXPECT_EQ(*site->getArray("uses"),
            (llvm::json::Array{llvm::json::Object{{"kind", "site"}, {"text", "into stage 1"}}}));
  const llvm::json::Object* window = view_at(document, 5);
  ASSERT_TRUE(window);
  EXPECT_EQ((*window->getArray("uses"))[0].getAsObject()->getString("text"),
            llvm::StringRef("writes counter"));
}

TEST(Sources, AreFoundWhereTheyWereCompiled) {
  test::WorkFolder folder;
  folder.write("elsewhere.c", text);
  folder.make_older("elsewhere.c", std::chrono::seconds(5));
  folder.write_path({{"serve.c", folder.path() + "/elsewhere.c"}});
  EXPECT_TRUE(view_at(folder.document(), 4));
}

TEST(Sources, ThatAreNotThereAreNamedOnce) {
  test::WorkFolder folder;
  const llvm::json::Object document = folder.document();
  EXPECT_TRUE(document.getArray("sources")->empty());
  EXPECT_EQ(llvm::count(left_out(document), "source: serve.c is not found"), 1);
}

TEST(Sources, ThatHaveChangedAreNotShown) {
  test::WorkFolder folder;
  folder.write("serve.c", text);
  folder.make_older("serve.c", std::chrono::seconds(-5));
  const llvm::json::Object document = folder.document({{folder.path()}});
  EXPECT_TRUE(document.getArray("sources")->empty());
  EXPECT_THAT(left_out(document), Contains("source: serve.c has changed after the plan was made"));
}

} // namespace
