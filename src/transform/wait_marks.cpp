#include "transform/wait_marks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

static constexpr StringLiteral wait_function = "heddle.wait";

// The addresses that a wait's packet uses afterwards are followed across it (program/address_slice.h), so the mark must not look
// like a call that writes what they are read from: what other packets do meanwhile does not concern this one, as the plan has it.
// The optimiser would go too far with that, for updates by other packets do happen there; no pass of it runs while marks stand.
static void set_effects(Function& wait) {
  wait.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  for (auto kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree,
                    Attribute::NoCallback})
    wait.addFnAttr(kind);
}

void insert_wait(BasicBlock& from, BasicBlock& to, unsigned stage, const SiteKeeps& /*keeps*/) {
  insert_lanes(from, to, stage, 0);
}

void insert_lanes(BasicBlock& from, BasicBlock& to, unsigned stage, unsigned lanes) {
  BasicBlock& block = insert_block(from, to, wait_function);
  IRBuilder<> builder(block.getTerminator());
  FunctionCallee wait = block.getModule()->getOrInsertFunction(wait_function, builder.getVoidTy(),
                                                               builder.getInt32Ty(), builder.getInt32Ty());
  set_effects(*cast<Function>(wait.getCallee()));
  builder.CreateCall(wait, {builder.getInt32(stage), builder.getInt32(lanes)})->setDoesNotThrow();
}

bool is_wait(const Instruction& instruction) {
  const auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == wait_function;
}

SmallVector<CallInst*, 8> waits_in(Function& function) {
  SmallVector<CallInst*, 8> waits;
  for (Instruction& instruction : instructions(function))
    if (is_wait(instruction)) waits.push_back(cast<CallInst>(&instruction));
  return waits;
}

static unsigned number_in(const CallInst& wait, unsigned operand) {
  return unsigned(cast<ConstantInt>(wait.getArgOperand(operand))->getZExtValue());
}

unsigned stage_of_wait(const CallInst& wait) {
  return number_in(wait, 0);
}

unsigned lanes_of_wait(const CallInst& wait) {
  return number_in(wait, 1);
}

bool end_of_waits(Module& module) {
  Function* wait = module.getFunction(wait_function);
  if (!wait) return true;
  if (!wait->use_empty()) return false;
  wait->eraseFromParent();
  return true;
}

} // namespace heddle
