// Which loads have to wait for one another.
#include "program/address_chain.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>

using namespace llvm;
using testing::ElementsAre;

namespace heddle {
namespace {

// "BEHIND", with a + if it follows itself, of all loads of i64, in order; those of other types are not asked about.
std::vector<std::string> chains(const std::string& text) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(text, problem, context);
  if (!module) return {problem.getMessage().str()};
  std::vector<MemoryRead> reads;
  for (Function& function : *module)
    for (Instruction& instruction : instructions(function))
      if (auto* load = dyn_cast<LoadInst>(&instruction); load && load->getType()->isIntegerTy(64))
        reads.push_back({load, load->getPointerOperand()});
  std::vector<std::string> result;
  for (const AddressChain& chain : address_chains(reads))
    result.push_back(std::to_string(chain.behind) + (chain.follows_itself ? "+" : ""));
  return result;
}

TEST(AddressChains, TwoBucketsOfOneKeyAreKnownAtOnce) {
  EXPECT_THAT(chains("define i64 @f(ptr %table, i64 %first, i64 %second) {\n"
                     "%a = getelementptr i64, ptr %table, i64 %first\n"
                     "%b = getelementptr i64, ptr %table, i64 %second\n"
                     "%x = load i64, ptr %a\n"
                     "%y = load i64, ptr %b\n"
                     "%z = add i64 %x, %y\n"
                     "ret i64 %z\n}"),
              ElementsAre("0", "0"));
}

TEST(AddressChains, AnIndexThatIsLoadedComesFirst) {
  EXPECT_THAT(chains("define i64 @f(ptr %table, ptr %rows, i64 %first) {\n"
                     "%a = getelementptr i64, ptr %table, i64 %first\n"
                     "%x = load i64, ptr %a\n"
                     "%masked = and i64 %x, 255\n"
                     "%b = getelementptr i64, ptr %rows, i64 %masked\n"
                     "%y = load i64, ptr %b\n"
                     "%c = getelementptr i64, ptr %rows, i64 %y\n"
                     "%z = load i64, ptr %c\n"
                     "ret i64 %z\n}"),
              ElementsAre("0", "1", "2"));
}

// The link is loaded by another instruction, from the line that the key has brought.
TEST(AddressChains, AListsNextElementFollowsTheLast) {
  EXPECT_THAT(chains("define i64 @f(ptr %head, i64 %key) {\n"
                     "entry: br label %loop\n"
                     "loop:\n"
                     "%at = phi ptr [ %head, %entry ], [ %next, %loop ]\n"
                     "%found = load i64, ptr %at\n"
                     "%link = getelementptr i8, ptr %at, i64 8\n"
                     "%next = load ptr, ptr %link\n"
                     "%equal = icmp eq i64 %found, %key\n"
                     "br i1 %equal, label %done, label %loop\n"
                     "done: ret i64 %found\n}"),
              ElementsAre("0+"));
}

// The number of the slot depends on what its bucket holds, and the row on what the slot holds.
TEST(AddressChains, AnElementOfAReadArrayIsInItsLine) {
  EXPECT_THAT(chains("define i64 @f(ptr %buckets, ptr %rows, i64 %first) {\n"
                     "%bucket = getelementptr [8 x i32], ptr %buckets, i64 %first\n"
                     "%tags = load i64, ptr %bucket\n"
                     "%which = and i64 %tags, 7\n"
                     "%slot = getelementptr i32, ptr %bucket, i64 %which\n"
                     "%index = load i32, ptr %slot\n"
                     "%row = getelementptr i64, ptr %rows, i32 %index\n"
                     "%y = load i64, ptr %row\n"
                     "ret i64 %y\n}"),
              ElementsAre("0", "1"));
}

// The tables' addresses are in one structure, and so is the first table.
TEST(AddressChains, ATablesPartsAreNotInOneLine) {
  EXPECT_THAT(chains("define i64 @f(ptr %app, i64 %first) {\n"
                     "%lpm = load ptr, ptr %app\n"
                     "%second = load ptr, ptr %lpm\n"
                     "%table = getelementptr i8, ptr %lpm, i64 64\n"
                     "%a = getelementptr i64, ptr %table, i64 %first\n"
                     "%x = load i64, ptr %a\n"
                     "%b = getelementptr i64, ptr %second, i64 %first\n"
                     "%y = load i64, ptr %b\n"
                     "%z = add i64 %x, %y\n"
                     "ret i64 %z\n}"),
              ElementsAre("0", "0"));
}

TEST(AddressChains, ACountersTableDoesNot) {
  EXPECT_THAT(chains("define i64 @f(ptr %table, i64 %n) {\n"
                     "entry: br label %loop\n"
                     "loop:\n"
                     "%i = phi i64 [ 0, %entry ], [ %further, %loop ]\n"
                     "%sum = phi i64 [ 0, %entry ], [ %more, %loop ]\n"
                     "%at = getelementptr i64, ptr %table, i64 %i\n"
                     "%x = load i64, ptr %at\n"
                     "%more = add i64 %sum, %x\n"
                     "%further = add i64 %i, 1\n"
                     "%ends = icmp eq i64 %further, %n\n"
                     "br i1 %ends, label %done, label %loop\n"
                     "done: ret i64 %more\n}"),
              ElementsAre("0"));
}

// By its argument and its result.
TEST(AddressChains, ALookUpInAnotherFunctionCounts) {
  EXPECT_THAT(chains("define i64 @look_up(ptr %table, i64 %key) {\n"
                     "%at = getelementptr i64, ptr %table, i64 %key\n"
                     "%x = load i64, ptr %at\n"
                     "ret i64 %x\n}\n"
                     "define i64 @f(ptr %keys, ptr %table, ptr %rows) {\n"
                     "%key = load i64, ptr %keys\n"
                     "%row = call i64 @look_up(ptr %table, i64 %key)\n"
                     "%at = getelementptr i64, ptr %rows, i64 %row\n"
                     "%y = load i64, ptr %at\n"
                     "ret i64 %y\n}"),
              ElementsAre("1", "0", "2"));
}

} // namespace
} // namespace heddle
