#include "program/reads.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle {

// Does the callee read what this argument points to, and touch nothing but what it is given?
static bool is_read(const CallBase& call, const Use& argument) {
  const unsigned number = call.getArgOperandNo(&argument);
  if (!argument->getType()->isPointerTy() || isa<Constant>(argument)) return false;
  if (auto* transfer = dyn_cast<AnyMemTransferInst>(&call)) return &argument == &transfer->getRawSourceUse();
  const Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && !callee->isIntrinsic() && call.onlyAccessesArgMemory() &&
         call.onlyReadsMemory(number) && !call.doesNotAccessMemory(number);
}

SmallVector<MemoryRead, 8> reads_of(BasicBlock& block) {
  SmallVector<MemoryRead, 8> reads;
  for (Instruction& instruction : block)
    if (auto* load = dyn_cast<LoadInst>(&instruction))
      reads.push_back({load, load->getPointerOperand()});
    else if (auto* call = dyn_cast<CallBase>(&instruction))
      for (const Use& argument : call->args())
        if (is_read(*call, argument)) reads.push_back({call, argument.get()});
  return reads;
}

SmallVector<MemoryRead, 8> reads_of(const BasicBlock& block) {
  return reads_of(const_cast<BasicBlock&>(block));
}

} // namespace heddle
