// Before code that does not come back, earlier packets are finished; elsewhere nothing is inserted.
#include "ir.h"
#include "transform/leaving.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::test;

namespace {

constexpr const char* source = R"(
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>
static jmp_buf buffer;
_Noreturn void fatal(const char *why);
void ends(int how) {
  if (how == 1) exit(1);
  if (how == 2) _exit(2);
  if (how == 3) longjmp(buffer, 1);
  if (how == 4) fatal("four");
  if (how == 5) abort();
}
static void own(int status) { (void)status; }
void goes_on(void) { own(1); setjmp(buffer); }
int main(void) { ends(0); goes_on(); return 0; }
)";

unsigned calls_of_alone(const Function& function) {
  unsigned count = 0;
  for (const BasicBlock& block : function)
    for (const Instruction& instruction : block)
      if (const auto* call = dyn_cast<CallBase>(&instruction))
        if (const Function* callee = call->getCalledFunction();
            callee && callee->getName() == "heddle_leaving") {
          const auto* next = dyn_cast<CallBase>(call->getNextNonDebugInstruction());
          EXPECT_TRUE(next && next->doesNotReturn());
          ++count;
        }
  return count;
}

TEST(Leaving, FinishesEarlierPacketsFirst) {
  LLVMContext context;
  Workshop workshop;
  auto module = workshop.compile(context, source, {"-O1"});
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(finish_before_leaving(*module), 4u);
  EXPECT_EQ(valid(*module), "");
  EXPECT_EQ(calls_of_alone(*module->getFunction("ends")), 4u);
  EXPECT_EQ(calls_of_alone(*module->getFunction("goes_on")), 0u);
}

} // namespace
