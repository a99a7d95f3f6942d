#include "transform/live_values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace heddle {

static bool is_used_elsewhere(const Instruction& value) {
  return any_of(value.users(), [&](const User* user) {
    return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != value.getParent();
  });
}

LiveValues::LiveValues(ArrayRef<BasicBlock*> blocks) {
  for (BasicBlock* block : blocks)
    for (Instruction& instruction : *block)
      if (is_used_elsewhere(instruction)) {
        number_[&instruction] = unsigned(values_.size());
        values_.push_back(&instruction);
      }
  for (BasicBlock* block : blocks)
    used_before_[block] = uses_of(*block);
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock* block : reverse(blocks))
      changed |= update(*block);
  }
}

SetVector<Instruction*> LiveValues::at_end(const BasicBlock& block) const {
  SetVector<Instruction*> result;
  const BitVector live = out_.lookup(&block);
  for (unsigned number : live.set_bits())
    result.insert(values_[number]);
  return result;
}

BitVector LiveValues::uses_of(const BasicBlock& block) const {
  BitVector uses(unsigned(values_.size()));
  for (const Instruction& instruction : block) {
    if (isa<PHINode>(instruction)) continue;
    for (const Value* operand : instruction.operands())
      if (auto found = number_.find(operand); found != number_.end())
        if (values_[found->second]->getParent() != &block) uses.set(found->second);
  }
  return uses;
}

bool LiveValues::update(const BasicBlock& block) {
  BitVector out(unsigned(values_.size()));
  for (const BasicBlock* next : successors(&block)) {
    out |= in_.lookup(next);
    for (const PHINode& phi : next->phis())
      if (auto found = number_.find(phi.getIncomingValueForBlock(&block)); found != number_.end())
        out.set(found->second);
  }
  BitVector in = out;
  for (const Instruction& instruction : block)
    if (auto found = number_.find(&instruction); found != number_.end()) in.reset(found->second);
  in |= used_before_.lookup(&block);
  out_[&block] = out;
  BitVector& known = in_[&block];
  if (known == in) return false;
  known = std::move(in);
  return true;
}

} // namespace heddle
