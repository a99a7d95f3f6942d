#include "analysis/effects_updates.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle {

static UpdateOp operation_of(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return UpdateOp::Add;
  case Instruction::Or:
    return UpdateOp::Or;
  case Instruction::And:
    return UpdateOp::And;
  case Instruction::Xor:
    return UpdateOp::Xor;
  default:
    break;
  }
  auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  switch (intrinsic ? intrinsic->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::smax:
    return UpdateOp::SignedMax;
  case Intrinsic::smin:
    return UpdateOp::SignedMin;
  case Intrinsic::umax:
    return UpdateOp::UnsignedMax;
  case Intrinsic::umin:
    return UpdateOp::UnsignedMin;
  default:
    return UpdateOp::None;
  }
}

static UpdateOp operation_of(AtomicRMWInst::BinOp op) {
  switch (op) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
    return UpdateOp::Add;
  case AtomicRMWInst::Or:
    return UpdateOp::Or;
  case AtomicRMWInst::And:
    return UpdateOp::And;
  case AtomicRMWInst::Xor:
    return UpdateOp::Xor;
  case AtomicRMWInst::Max:
    return UpdateOp::SignedMax;
  case AtomicRMWInst::Min:
    return UpdateOp::SignedMin;
  case AtomicRMWInst::UMax:
    return UpdateOp::UnsignedMax;
  case AtomicRMWInst::UMin:
    return UpdateOp::UnsignedMin;
  default:
    return UpdateOp::None;
  }
}

static bool same_address(const DataLayout& layout, const Value* a, const Value* b) {
  if (a == b) return true;
  APInt offset_a(64, 0), offset_b(64, 0);
  const Value* base_a = a->stripAndAccumulateConstantOffsets(layout, offset_a, true);
  const Value* base_b = b->stripAndAccumulateConstantOffsets(layout, offset_b, true);
  return base_a == base_b && offset_a == offset_b;
}

Updates::Updates(const Module& module) {
  for (const Function& function : module)
    for (const Instruction& instruction : instructions(function)) {
      if (auto* store = dyn_cast<StoreInst>(&instruction)) match(*store);
      auto* atomic = dyn_cast<AtomicRMWInst>(&instruction);
      if (!atomic || !atomic->use_empty()) continue;
      if (UpdateOp op = operation_of(atomic->getOperation()); op != UpdateOp::None)
        updates_[atomic] = {op, next_++};
    }
}

// Load and store lie in one block, so no site comes between them. A difference only counts with the loaded
// value on the left.
void Updates::match(const StoreInst& store) {
  auto* operation = dyn_cast<Instruction>(store.getValueOperand());
  if (!operation || !operation->hasOneUse() || operation->getParent() != store.getParent()) return;
  UpdateOp op = operation_of(*operation);
  if (op == UpdateOp::None) return;
  const DataLayout& layout = store.getModule()->getDataLayout();
  for (unsigned side : {0u, 1u}) {
    if (side == 1 && operation->getOpcode() == Instruction::Sub) return;
    auto* load = dyn_cast<LoadInst>(operation->getOperand(side));
    if (!load || !load->hasOneUse() || load->getParent() != store.getParent()) continue;
    if (!same_address(layout, load->getPointerOperand(), store.getPointerOperand())) continue;
    updates_[load] = updates_[&store] = {op, next_++};
    return;
  }
}

} // namespace heddle
