#include "scripts.h"
#include "verify/output.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

namespace {

std::string filtered(llvm::StringRef filter, llvm::StringRef text, llvm::StringRef channel = "stdout") {
  return apply_filters(text, channel, {llvm::cantFail(parse_filter(filter))});
}

std::string error(llvm::StringRef filter) {
  auto parsed = parse_filter(filter);
  return parsed ? "no error" : llvm::toString(parsed.takeError());
}

TEST(Filters, ReplaceEveryMatchOfEveryLine) {
  EXPECT_EQ(filtered("stdout:/[0-9]+/N/", "1 a 22\nb 3\n"), "N a N\nb N\n");
  EXPECT_EQ(filtered("stdout:|x/(y)|<\\1>|", "x/y"), "<y>");
}

TEST(Filters, ApplyToTheirChannelOnly) {
  EXPECT_EQ(filtered("stderr:/a/b/", "a"), "a");
  EXPECT_EQ(filtered("log.txt:/a/b/", "a", "log.txt"), "b");
  EXPECT_EQ(filtered("times", "12:00:01", "log.txt"), "12:00:01");
}

TEST(Filters, BuiltIn) {
  EXPECT_EQ(filtered("times", "at 12:34:56.789, 1:02:03"), "at TIME, TIME");
  EXPECT_EQ(filtered("dates", "2026-11-21 Sat Nov 21 2026"), "DATE DATE");
  EXPECT_EQ(filtered("durations", "took 1.25 s, 17 usec; 3 stages"), "took DURATION, DURATION; 3 stages");
  EXPECT_EQ(filtered("rates", "1.2 Mpps 34 K pps 7 MB/sec"), "RATE RATE RATE");
  EXPECT_EQ(filtered("pids", "pid 123 daemon[77]:"), "pid PID daemon[PID]:");
  EXPECT_EQ(filtered("addresses", "at 0x7f0012345678"), "at ADDRESS");
}

TEST(Filters, MalformedOnesAreRefused) {
  EXPECT_THAT(error("clock"), HasSubstr("no built-in filter"));
  EXPECT_THAT(error("stdout:/a/b"), HasSubstr("malformed"));
  EXPECT_THAT(error("stdout://b/"), HasSubstr("pattern is empty"));
  EXPECT_THAT(error("stdout:/(a/b/"), HasSubstr("parentheses"));
}

TEST(Filters, LetDeclaredDifferencesPass) {
  test::Scripts scripts;
  VerifyOptions options;
  Variant a = scripts.variant("a", "echo 'n=7 took 3 ms'"), b = scripts.variant("b", "echo 'n=7 took 41 ms'");
  EXPECT_EQ(llvm::cantFail(verify_outputs({a, b}, options)).verdict, Verdict::Different);
  options.filters = {llvm::cantFail(parse_filter("durations"))};
  EXPECT_EQ(llvm::cantFail(verify_outputs({a, b}, options)).verdict, Verdict::Identical);
}

} // namespace
