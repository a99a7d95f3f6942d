// Which loads an iteration leaves for the next one to wait for.
#include "program/recurrence.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace heddle {
namespace {

// A loop with that body, from %i = 0 and %state = 7; %next goes round. Of each load: the cycles of its chain, 0 for none.
std::vector<double> chains(const std::string& body) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString("declare void @other()\n"
                                    "define i32 @walk(ptr %rows, ptr %bytes, i32 %n) {\n"
                                    "entry: br label %loop\n"
                                    "loop:\n"
                                    "%i = phi i32 [ 0, %entry ], [ %further, %loop ]\n"
                                    "%state = phi i32 [ 7, %entry ], [ %next, %loop ]\n" +
                                        body +
                                        "%further = add i32 %i, 1\n"
                                        "%ends = icmp eq i32 %further, %n\n"
                                        "br i1 %ends, label %done, label %loop\n"
                                        "done: ret i32 %next }\n",
                                    problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  std::vector<double> cycles;
  if (!module) return cycles;
  Recurrences recurrences;
  for (const Instruction& instruction : instructions(*module->getFunction("walk")))
    if (isa<LoadInst>(instruction)) {
      const auto found = recurrences.of(instruction);
      cycles.push_back(found ? found->cycles : 0);
    }
  return cycles;
}

TEST(Recurrence, TheNextStateIsAChainAndTheByteIsNot) {
  EXPECT_EQ(chains("%byte = getelementptr i32, ptr %bytes, i32 %i\n"
                   "%b = load i32, ptr %byte\n"
                   "%row = shl i32 %state, 8\n"
                   "%index = add i32 %row, %b\n"
                   "%at = getelementptr i32, ptr %rows, i32 %index\n"
                   "%next = load i32, ptr %at\n"),
            (std::vector<double>{0, 7})); // shl, add, load
}

TEST(Recurrence, ASumOfLoadsIsNone) {
  EXPECT_EQ(chains("%at = getelementptr i32, ptr %rows, i32 %i\n"
                   "%x = load i32, ptr %at\n"
                   "%next = add i32 %state, %x\n"),
            (std::vector<double>{0}));
}

TEST(Recurrence, AnIndexThatTakesAMultiplicationTakesACycle) {
  EXPECT_EQ(chains("%at = getelementptr [3 x i32], ptr %rows, i32 %state\n"
                   "%next = load i32, ptr %at\n"),
            (std::vector<double>{6}));
}

TEST(Recurrence, ALoopThatCallsHasNone) {
  EXPECT_EQ(chains("%at = getelementptr i32, ptr %rows, i32 %state\n"
                   "%next = load i32, ptr %at\n"
                   "call void @other()\n"),
            (std::vector<double>{0}));
}

} // namespace
} // namespace heddle
