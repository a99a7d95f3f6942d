// Every program in programs/ behaves the same with its packet body outlined. The head of the file says what
// to expect: `// bodies: RECEIVE FUNCTION` or `// refused: CODE`; `// body: NAME` is --body, `// link:
// OPTION` links.
#include "build_and_run.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace heddle::testing {
namespace {

struct Expectation {
  std::string receive, function, refused;
  std::vector<std::string> named, link;
};

Expectation read_expectation(StringRef text) {
  Expectation expected;
  while (text.consume_front("//")) {
    auto [line, rest] = text.split('\n');
    StringRef body = line.trim();
    if (body.consume_front("bodies: "))
      body.starts_with("--body ")
          ? std::tie(expected.receive, expected.function) =
                std::pair<std::string, std::string>("--body", body.drop_front(7))
          : std::tie(expected.receive, expected.function) =
                std::pair<std::string, std::string>(body.split(' ').first, body.split(' ').second);
    else if (body.consume_front("refused: "))
      expected.refused = body;
    else if (body.consume_front("body: "))
      expected.named.push_back(body.str());
    else if (body.consume_front("link: "))
      expected.link.push_back(body.str());
    text = rest;
  }
  return expected;
}

std::vector<std::string> all_programs() {
  std::vector<std::string> found;
  std::error_code error;
  for (sys::fs::directory_iterator at(HEDDLE_TEST_DIR "/programs", error), end; at != end;
       at.increment(error))
    if (StringRef path = at->path(); path.ends_with(".c") || path.ends_with(".cpp"))
      found.push_back(path.str());
  sort(found);
  return found;
}

class SameOutput : public ::testing::TestWithParam<std::string> {};

TEST_P(SameOutput, AsTheOriginal) {
  auto text = MemoryBuffer::getFile(GetParam());
  ASSERT_TRUE(bool(text));
  Expectation expected = read_expectation((*text)->getBuffer());
  Workshop workshop;
  PrepareOptions options;
  options.bodies = expected.named;
  Expected<Program> program = prepare(workshop.image({GetParam()}), options);
  if (!expected.refused.empty()) {
    ASSERT_FALSE(bool(program));
    std::string why = toString(program.takeError());
    EXPECT_NE(why.find("no packet body found"), std::string::npos) << why;
    if (expected.refused != "nothing") EXPECT_NE(why.find(expected.refused), std::string::npos) << why;
    return;
  }
  ASSERT_TRUE(bool(program)) << toString(program.takeError());
  ASSERT_EQ(program->bodies.size(), 1U);
  EXPECT_EQ(receive_name(program->bodies[0].receive), expected.receive);
  EXPECT_EQ(program->bodies[0].function, expected.function);
  Outcome plain = workshop.run_plain({GetParam()}, expected.link);
  EXPECT_FALSE(plain.output.empty());
  Outcome prepared = workshop.run_prepared(*program, expected.link);
  EXPECT_EQ(plain.status, prepared.status);
  EXPECT_EQ(plain.output, prepared.output);
}

INSTANTIATE_TEST_SUITE_P(Programs, SameOutput, ::testing::ValuesIn(all_programs()),
                         [](const auto& info) { return sys::path::stem(info.param).str(); });

} // namespace
} // namespace heddle::testing
