// Whatever a program's names and lines hold, the page holds it as text.
#include "report/page.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;
using testing::Not;

namespace {

const char* page = "<noscript>{{heddle report --text}}</noscript><script>{\"heddle\":\"report\"}</script>";

llvm::json::Object document_with(llvm::StringRef name) {
  return llvm::json::Object{{"summary", llvm::json::Object{{"applied", name}}}};
}

TEST(Page, TextThatWouldEndTheScriptStaysText) {
  const std::string filled =
      llvm::cantFail(fill_page(page, document_with("</script><!--<script>alert(1)</script>")));
  EXPECT_EQ(llvm::StringRef(filled).count("</script>"), 1U);
  EXPECT_THAT(filled, Not(HasSubstr("<!--")));
  EXPECT_THAT(filled, HasSubstr("\\u003c/script>"));
  EXPECT_THAT(filled, HasSubstr("&lt;/script&gt;"));
}

TEST(Page, TheDataComesBackAsItWas) {
  const llvm::json::Object document = document_with("a < b && \"c\" \\ $& {{script}}");
  const std::string filled = llvm::cantFail(fill_page(page, document));
  const size_t begin = filled.find("<script>") + 8;
  auto parsed = llvm::json::parse(llvm::StringRef(filled).slice(begin, filled.rfind("</script>")));
  EXPECT_EQ(llvm::cantFail(std::move(parsed)), llvm::json::Value(llvm::json::Object(document)));
}

TEST(Page, APageWithoutAPlaceForDataIsAnError) {
  auto filled = fill_page("<html></html>", {});
  ASSERT_FALSE(bool(filled));
  EXPECT_THAT(llvm::toString(filled.takeError()), HasSubstr("build Heddle again"));
}

} // namespace
