// Loading a built program; and what is said when there is nothing to load.
#include "build_helper.h"
#include "toolchain/image.h"

#include "gmock/gmock.h"

#include <sys/stat.h>

using namespace heddle;
using namespace heddle::test;
using testing::AllOf;
using testing::HasSubstr;

class LoadImage : public Build {
protected:
  std::string error_of(const std::string& name) const {
    auto image = load_image(path(name));
    if (image) return "no error";
    return shown(image.takeError());
  }

  void build_program() const {
    source("a.c", "int b(void); int main(void) { return b(); }\n");
    source("b.c", "int b(void) { return 4; }\n");
    ASSERT_EQ(cc({"a.c", "b.c", "-o", "prog"}), 0);
  }
};

TEST_F(LoadImage, HoldsEveryModuleAndTheRecipe) {
  build_program();
  auto image = load_image(path("prog"));
  ASSERT_TRUE(bool(image)) << shown(image.takeError());
  EXPECT_EQ(image->modules.size(), 2u);
  EXPECT_EQ(image->id.size(), 32u);
  EXPECT_EQ(image->link.compiler, "clang");
  EXPECT_FALSE(image->link.shared);
  EXPECT_TRUE(image->without_bitcode.empty());
}

TEST_F(LoadImage, IdFollowsTheCode) {
  build_program();
  std::string first = llvm::cantFail(load_image(path("prog"))).id;
  ASSERT_EQ(cc({"a.c", "b.c", "-o", "prog"}), 0);
  EXPECT_EQ(llvm::cantFail(load_image(path("prog"))).id, first);
  source("b.c", "int b(void) { return 5; }\n");
  ASSERT_EQ(cc({"a.c", "b.c", "-o", "prog"}), 0);
  EXPECT_NE(llvm::cantFail(load_image(path("prog"))).id, first);
}

TEST_F(LoadImage, SurvivesStrip) {
  build_program();
  ASSERT_EQ(run("strip", {"prog"}), 0);
  auto image = load_image(path("prog"));
  ASSERT_TRUE(bool(image)) << shown(image.takeError());
  EXPECT_EQ(image->modules.size(), 2u);
}

TEST_F(LoadImage, MissingFile) {
  EXPECT_THAT(error_of("nothing"), AllOf(HasSubstr("No such file"), HasSubstr("hint:")));
}

TEST_F(LoadImage, NotAnElfFile) {
  source("text", "hello\n");
  source("script", "#!/bin/sh\n");
  EXPECT_THAT(error_of("text"), AllOf(HasSubstr("not an ELF file"), HasSubstr("hint:")));
  EXPECT_THAT(error_of("script"), AllOf(HasSubstr("script"), HasSubstr(".libs")));
  EXPECT_THAT(error_of("."), HasSubstr("folder"));
}

TEST_F(LoadImage, ObjectInsteadOfProgram) {
  source("a.c", "int x;\n");
  ASSERT_EQ(cc({"-c", "a.c"}), 0);
  EXPECT_THAT(error_of("a.o"), HasSubstr("object file"));
}

TEST_F(LoadImage, BuiltWithoutHeddle) {
  source("a.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(run("clang-19", {"a.c", "-o", "plain"}), 0);
  EXPECT_THAT(error_of("plain"), AllOf(HasSubstr("no bitcode inside"), HasSubstr("CC=heddle-cc")));
}

TEST_F(LoadImage, LinkRecordRemoved) {
  build_program();
  ASSERT_EQ(run("objcopy", {"--remove-section=.heddle.link", "prog", "prog2"}), 0);
  EXPECT_THAT(error_of("prog2"), AllOf(HasSubstr("no record of the link"), HasSubstr("hint:")));
}

TEST_F(LoadImage, EveryTruncationIsAnErrorAndNoCrash) {
  build_program();
  std::ifstream in(path("prog"), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  for (size_t part = 1; part < 16; ++part) {
    std::ofstream(path("cut"), std::ios::binary) << bytes.substr(0, bytes.size() * part / 16);
    EXPECT_THAT(error_of("cut"), AllOf(HasSubstr("error:"), HasSubstr("hint:"))) << part;
  }
}

TEST_F(LoadImage, NoPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  build_program();
  ASSERT_EQ(chmod(path("prog").c_str(), 0), 0);
  EXPECT_THAT(error_of("prog"), HasSubstr("ermission"));
}
