// The profile file and what is refused.
#include "code.h"
#include "profile/trace.h"

namespace heddle {
namespace {

struct TraceFile : testing::Test {
  TemporaryFolder folder = llvm::cantFail(TemporaryFolder::create("heddle-test"));
  std::string path = folder.file("profile");
  Trace trace;

  void SetUp() override {
    trace.program = "abcdef0123456789abcdef";
    trace.packets_seen = 77;
    trace.packets_dropped = 2;
    for (BlockId i = 0; i < 5000; ++i)
      trace.events.push_back(i * 7 % 1000);
    trace.packets = {{0, 3, 0, 2000}, {1, 3, 500, 900}, {0, 4, 2000, 5000}};
    trace.loads = {{{7, 1}, 100, 50, 25, 12, 6}};
    trace.calls = {{9, 2, 1000, 1'500'000'000'000}};
    ASSERT_FALSE(bool(write_trace(trace, path)));
  }
  std::string bytes() { return llvm::cantFail(read_file(path))->getBuffer().str(); }
  void replace(const std::string& content) {
    ASSERT_FALSE(bool(write_file(path, [&](llvm::raw_ostream& out) { out << content; })));
  }
  std::string error(llvm::StringRef id = "abcdef0123456789abcdef") {
    auto read = read_trace(path, id);
    return read ? std::string() : llvm::toString(read.takeError());
  }
};

TEST_F(TraceFile, RoundTrip) {
  Trace read = llvm::cantFail(read_trace(path, trace.program));
  EXPECT_EQ(read.program, trace.program);
  EXPECT_EQ(read.events, trace.events);
  EXPECT_EQ(read.packets_seen, 77u);
  EXPECT_EQ(read.packets_dropped, 2u);
  ASSERT_EQ(read.packets.size(), 3u);
  EXPECT_EQ(read.packets[1].body, 1u);
  EXPECT_EQ(read.packets[2].batch, 4u);
  EXPECT_TRUE(read.blocks(read.packets[1]) == trace.blocks(trace.packets[1]));
  ASSERT_EQ(read.loads.size(), 1u);
  EXPECT_EQ(read.loads[0].place.number, 1u);
  EXPECT_EQ(read.loads[0].walks, 6u);
  ASSERT_EQ(read.calls.size(), 1u);
  EXPECT_EQ(read.calls[0].block, 9u);
  EXPECT_EQ(read.calls[0].calls, 1000u);
  EXPECT_EQ(read.calls[0].ticks, 1'500'000'000'000u);
  EXPECT_LT(bytes().size(), trace.events.size() * 4);
}

TEST_F(TraceFile, OtherBuild) {
  std::string text = error("ffff0000ffff0000ffff");
  EXPECT_NE(text.find("another build"), std::string::npos);
  EXPECT_NE(text.find("abcdef0123456789"), std::string::npos);
  EXPECT_NE(text.find("hint: run heddle profile on this build"), std::string::npos);
  EXPECT_EQ(error(""), "");
}

TEST_F(TraceFile, NotAProfile) {
  replace("some text that is no profile");
  EXPECT_NE(error().find("not a profile"), std::string::npos);
  replace("");
  EXPECT_NE(error().find("not a profile"), std::string::npos);
}

TEST_F(TraceFile, Newer) {
  std::string content = bytes();
  content[8] = 9;
  replace(content);
  EXPECT_NE(error().find("newer Heddle (format 9, this one reads 3)"), std::string::npos);
}

TEST_F(TraceFile, TruncatedAnywhere) {
  std::string content = bytes();
  for (size_t size : {size_t(10), size_t(20), size_t(60), content.size() / 2, content.size() - 1}) {
    replace(content.substr(0, size));
    EXPECT_NE(error().find("cut short"), std::string::npos) << size;
  }
}

TEST_F(TraceFile, DamagedContents) {
  std::string content = bytes();
  content[content.size() - 20] ^= 0x40;
  replace(content);
  EXPECT_NE(error().find("damaged"), std::string::npos);
}

TEST_F(TraceFile, MissingFile) {
  path += ".absent";
  EXPECT_NE(error().find("there is no such profile"), std::string::npos);
}

} // namespace
} // namespace heddle
