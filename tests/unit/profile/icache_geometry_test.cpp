#include "profile/icache.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string parse_error(llvm::StringRef text) {
  auto parsed = parse_geometries(text);
  return parsed ? std::string() : llvm::toString(parsed.takeError());
}

TEST(IcacheGeometry, ListWithUnits) {
  auto parsed = parse_geometries("32K:8, 64K:16,1M:16,4096:1");
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  ASSERT_EQ(parsed->size(), 4u);
  EXPECT_EQ((*parsed)[0].bytes, 32u * 1024);
  EXPECT_EQ((*parsed)[1].ways, 16u);
  EXPECT_EQ((*parsed)[2].str(), "1M:16");
  EXPECT_EQ((*parsed)[3].str(), "4K:1");
}

TEST(IcacheGeometry, SaysWhatIsWrong) {
  EXPECT_NE(parse_error("big:8").find("'big' is not a size"), std::string::npos);
  EXPECT_NE(parse_error("32K").find("ways is missing"), std::string::npos);
  EXPECT_NE(parse_error("32K:none").find("'none' is not a number"), std::string::npos);
  EXPECT_NE(parse_error("1000:8").find("not a multiple"), std::string::npos);
  EXPECT_NE(parse_error("48K:8").find("not a power of two"), std::string::npos);
  EXPECT_NE(parse_error("32K:8,").find("hint: write SIZE:WAYS"), std::string::npos);
  EXPECT_NE(parse_error("99999999999999999999K:8").find("is not a size"), std::string::npos);
}

TEST(IcacheGeometry, HostIsUsable) {
  CacheGeometry host = host_icache();
  EXPECT_GE(host.bytes / host.ways / host.line, 1u);
}

} // namespace
} // namespace heddle
