// Two programs, one input: which differences are found, and how they are named.
#include "scripts.h"
#include "verify/output.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

namespace {

class Outputs : public testing::Test {
protected:
  VerifyResult verify(llvm::StringRef a, llvm::StringRef b) {
    return llvm::cantFail(
        verify_outputs({scripts_.variant("prog", a), scripts_.variant("prog.heddle", b)}, options_));
  }
  std::string channel(const VerifyResult& result) {
    return result.difference ? result.difference->channel : "none";
  }

  test::Scripts scripts_;
  VerifyOptions options_;
};

TEST_F(Outputs, Identical) {
  const char* script = "echo out; echo err >&2; echo data > file; exit 3";
  VerifyResult result = verify(script, script);
  EXPECT_EQ(result.verdict, Verdict::Identical);
  EXPECT_EQ(result.runs[1].files, 1u);
  EXPECT_EQ(result.runs[1].stdout_bytes, 4u);
  EXPECT_THAT(result.reason, HasSubstr("exit with status 3"));
}

TEST_F(Outputs, ExitStatus) {
  VerifyResult result = verify("exit 0", "exit 4");
  EXPECT_EQ(result.verdict, Verdict::Different);
  EXPECT_EQ(channel(result), "exit status");
  EXPECT_EQ(result.difference->actual, "4");
}

TEST_F(Outputs, StandardOutputWithPlaceAndContext) {
  VerifyResult result = verify("echo one; echo two", "echo one; echo tWo");
  EXPECT_EQ(result.verdict, Verdict::Different);
  EXPECT_EQ(channel(result), "stdout");
  EXPECT_EQ(result.difference->offset, 5u);
  EXPECT_EQ(result.difference->line, 2u);
  EXPECT_EQ(result.difference->expected, "one\\0Atwo\\0A");
  EXPECT_EQ(result.difference->variant, "prog.heddle");
}

TEST_F(Outputs, AMissingEndIsADifference) {
  VerifyResult result = verify("echo one; echo two", "echo one");
  EXPECT_EQ(channel(result), "stdout");
  EXPECT_THAT(result.difference->actual, HasSubstr("<end>"));
}

TEST_F(Outputs, StandardError) {
  EXPECT_EQ(channel(verify("echo a >&2", "echo b >&2")), "stderr");
}

TEST_F(Outputs, AFileWrittenInTheWorkingFolder) {
  VerifyResult result = verify("mkdir d; printf 'a\\0b' > d/x.pcap", "mkdir d; printf 'a\\0c' > d/x.pcap");
  EXPECT_EQ(channel(result), "d/x.pcap");
  EXPECT_EQ(result.difference->offset, 2u);
  EXPECT_EQ(result.difference->line, 0u);
}

TEST_F(Outputs, AFileThatOnlyOneWrites) {
  VerifyResult result = verify("echo > log", "true");
  EXPECT_EQ(channel(result), "files");
  EXPECT_EQ(result.difference->expected, "log");
}

TEST_F(Outputs, OutPlaceholderNamesTheSameFolderInEveryRun) {
  options_.command.args = {"{out}/written"};
  const char* script = "echo \"writing $1\"; echo x > \"$1\"";
  EXPECT_EQ(verify(script, script).verdict, Verdict::Identical);
  EXPECT_EQ(channel(verify("echo x > \"$1\"", "echo y > \"$1\"")), "written");
}

TEST_F(Outputs, ADeclaredOutputInTheArguments) {
  std::string file = scripts_.folder() + "/result.pcap";
  options_.command.args = {"--write=" + file};
  options_.command.outputs = {file};
  EXPECT_EQ(channel(verify("echo x > ${1#*=}", "echo y > ${1#*=}")), "result.pcap");
}

TEST_F(Outputs, ADeclaredOutputAtAFixedPlace) {
  std::string file = scripts_.folder() + "/fixed.log";
  options_.command.outputs = {file};
  EXPECT_EQ(channel(verify("echo x > " + file, "echo y > " + file)), "fixed.log");
  EXPECT_EQ(channel(verify("echo x > " + file, "true")), "files");
}

TEST_F(Outputs, ADeclaredOutputOfTheUserIsPutBack) {
  std::string file = scripts_.file("fixed.log", "mine");
  options_.command.outputs = {file};
  EXPECT_EQ(verify("echo x >> " + file, "echo x >> " + file).runs[1].file_bytes, 2u);
  EXPECT_EQ(llvm::cantFail(read_file(file))->getBuffer(), "mine");
}

TEST_F(Outputs, ArgumentsThatNameFilesKeepTheirMeaning) {
  std::string input = scripts_.file("input", "data\n");
  llvm::SmallString<128> relative;
  ASSERT_FALSE(llvm::sys::fs::current_path(relative));
  std::string up;
  for (char c : relative.str())
    up += c == '/' ? "../" : "";
  options_.command.args = {up + input.substr(1), "--file=" + up + input.substr(1)};
  VerifyResult result = verify("cat $1 ${2#*=}", "cat $1 ${2#*=}");
  EXPECT_EQ(result.verdict, Verdict::Identical);
  EXPECT_EQ(result.runs[0].stdout_bytes, 10u);
}

TEST_F(Outputs, StandardInputComesFromTheDeclaredFile) {
  options_.command.stdin_path = scripts_.file("input", "hello");
  EXPECT_EQ(verify("cat", "cat").runs[1].stdout_bytes, 5u);
}

TEST_F(Outputs, AVariantsOwnNameIsNoDifference) {
  EXPECT_EQ(verify("echo \"usage: $0; $(basename $0)\"", "echo \"usage: $0; $(basename $0)\"").verdict,
            Verdict::Identical);
}

TEST_F(Outputs, AnOriginalThatDoesNotRepeatItselfIsUnknown) {
  const char* script = "head -c 8 /dev/urandom | od -x";
  VerifyResult result = verify(script, script);
  EXPECT_EQ(result.verdict, Verdict::Unknown);
  EXPECT_THAT(result.reason, HasSubstr("does not repeat itself: stdout"));
}

TEST_F(Outputs, AnOriginalThatCrashesIsUnknown) {
  VerifyResult result = verify("kill -SEGV $$", "kill -SEGV $$");
  EXPECT_EQ(result.verdict, Verdict::Unknown);
  EXPECT_THAT(result.reason, HasSubstr("crashed by itself"));
}

TEST_F(Outputs, AVariantThatRunsOutOfTimeIsDifferent) {
  options_.command.timeout_seconds = 1;
  VerifyResult result = verify("true", "exec sleep 20");
  EXPECT_EQ(result.verdict, Verdict::Different);
  EXPECT_EQ(result.difference->actual, "out of time");
}

TEST_F(Outputs, EnvironmentOfAVariant) {
  Variant a = scripts_.variant("a", "echo ${HEDDLE_BATCH:-none}"), b = a;
  b.name = "b";
  b.environment = {{"HEDDLE_BATCH", "8"}};
  VerifyResult result = llvm::cantFail(verify_outputs({a, a, b}, options_));
  EXPECT_EQ(result.verdict, Verdict::Different);
  EXPECT_EQ(result.difference->variant, "b");
}

TEST_F(Outputs, TextNamesThePlace) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print_verify(verify("echo a", "echo b"), out);
  EXPECT_THAT(text, HasSubstr("outputs: different"));
  EXPECT_THAT(text, HasSubstr("first difference of prog.heddle: stdout, byte 0 (line 1)"));
}

TEST_F(Outputs, AProgramThatCannotBeStartedIsAnError) {
  auto result = verify_outputs({{"a", "/nowhere/a", {}}, {"b", "/nowhere/b", {}}}, options_);
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(llvm::toString(result.takeError()), HasSubstr("/nowhere/a"));
}

} // namespace
