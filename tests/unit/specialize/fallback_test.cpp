// Two bodies in one function: wherever the epoch changes, what is computed stays the same.
#include "specialize/fallback.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace heddle;

namespace {

uint64_t epoch;
int calls, change_at;

extern "C" int test_step(int value) {
  if (++calls == change_at) ++epoch; // somebody changes a table just now
  return value * 3 + calls;
}

// A loop with values that live across blocks, a variable on the stack, and a call in each round.
constexpr const char* program = R"(
@epoch = external global i64
declare i32 @test_step(i32)
define i32 @run(i32 %rounds) {
entry:
  %memory = alloca i32
  store i32 7, ptr %memory
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %even ]
  %sum = phi i32 [ 1, %entry ], [ %added, %even ]
  %old = load i32, ptr %memory
  %stepped = call i32 @test_step(i32 %sum)
  %added = add i32 %stepped, %old
  store i32 %round, ptr %memory
  %odd = and i32 %stepped, 1
  %is_odd = icmp ne i32 %odd, 0
  br i1 %is_odd, label %more, label %even
more:
  %again = call i32 @test_step(i32 %old)
  store i32 %again, ptr %memory
  br label %even
even:
  %next = add i32 %round, 1
  %done = icmp sge i32 %next, %rounds
  br i1 %done, label %end, label %loop
end:
  %left = load i32, ptr %memory
  %result = xor i32 %added, %left
  ret i32 %result
}
)";

enum class Detoured { No, Never, Always };

// With a check before each call, or no second body at all. Calls of the first body add 1000 to their argument if `marked`; calls by
// the detour return -1 at once.
int run(bool checked, bool marked, int rounds, Detoured detoured = Detoured::No) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(program, problem, context);
  Function& function = *module->getFunction("run");
  std::vector<Instruction*> steps;
  for (Instruction& instruction : instructions(function))
    if (isa<CallInst>(instruction)) steps.push_back(&instruction);
  GlobalVariable* variable = module->getGlobalVariable("epoch");
  Detour detour;
  auto wanted = [&](IRBuilder<>& builder) -> Value* { return builder.getInt1(detoured == Detoured::Always); };
  if (detoured != Detoured::No) {
    IRBuilder<> entry(&*function.getEntryBlock().begin());
    detour = {entry.CreateAlloca(entry.getInt1Ty()), wanted};
    IRBuilder<> builder(steps.front());
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(builder.CreateLoad(builder.getInt1Ty(), detour.taken),
                                                     steps.front(), /*Unreachable=*/true));
    builder.CreateRet(builder.getInt32(-1));
    builder.GetInsertBlock()->getTerminator()->eraseFromParent();
  }
  auto made_for = [](IRBuilder<>& builder) -> Value* { return builder.getInt64(5); };
  if (checked) add_fallback(function, {variable, made_for}, steps, detour);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  if (marked)
    for (Instruction* step : steps)
      step->setOperand(0, ConstantInt::get(Type::getInt32Ty(context), 1000));
  std::unique_ptr<ExecutionEngine> engine(EngineBuilder(std::move(module)).create());
  engine->addGlobalMapping("epoch", reinterpret_cast<uintptr_t>(&epoch));
  engine->addGlobalMapping("test_step", reinterpret_cast<uintptr_t>(&test_step));
  epoch = 5;
  calls = 0;
  return reinterpret_cast<int (*)(int)>(engine->getFunctionAddress("run"))(rounds);
}

} // namespace

TEST(Fallback, GoesOnAtTheSamePointWhereverTheEpochChanges) {
  change_at = 0;
  int expected = run(false, false, 9), all = calls;
  for (change_at = 0; change_at <= all; ++change_at)
    EXPECT_EQ(run(true, false, 9), expected) << "changed in call " << change_at;
}

TEST(Fallback, TheFirstBodyRunsUntilACheckFails) {
  change_at = 0;
  int original = run(true, false, 9);
  EXPECT_NE(run(true, true, 9), original);
  change_at = 1; // nothing of the first body runs after the first call
  int late = run(true, true, 9);
  change_at = 0;
  EXPECT_NE(run(true, true, 9), late);
}

TEST(Fallback, CallsThatFailTheCheckAtTheEntryAreMarkedAsSuch) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(program, problem, context);
  Function& function = *module->getFunction("run");
  auto made_for = [](IRBuilder<>& builder) -> Value* { return builder.getInt64(5); };
  unsigned marked = 0;
  auto missed = [&](IRBuilder<>& builder) {
    ++marked;
    const BasicBlock* block = builder.GetInsertBlock();
    EXPECT_EQ(block->getName(), "missed");
    EXPECT_TRUE(block->use_empty()); // the entry's check alone comes here
  };
  std::vector<Instruction*> steps;
  for (Instruction& instruction : instructions(function))
    if (isa<CallInst>(instruction)) steps.push_back(&instruction);
  add_fallback(function, {module->getGlobalVariable("epoch"), made_for, missed}, steps);
  EXPECT_EQ(marked, 1u);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  auto named = [](const BasicBlock& block) { return block.getName() == "missed"; };
  EXPECT_EQ(llvm::find_if(function, named)->getSinglePredecessor(), &function.getEntryBlock());
}

TEST(Fallback, OnlyCallsByTheDetourAreMarkedAsSuch) {
  change_at = 0;
  EXPECT_EQ(run(true, true, 9, Detoured::Always), -1);
  int expected = run(false, false, 9), all = calls;
  // Where a check fails, the second body goes on, and is not taken for the detour.
  for (change_at = 0; change_at <= all; ++change_at)
    EXPECT_EQ(run(true, false, 9, Detoured::Never), expected) << "changed in call " << change_at;
}
