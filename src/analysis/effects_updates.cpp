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

static bool is_aligned(const Value& value, Align align, const DataLayout& layout) {
  return align.value() >= layout.getTypeStoreSize(value.getType()).getKnownMinValue();
}

Updates::Updates(const Module& module, const RareBlocks& rare) {
  const DataLayout& layout = module.getDataLayout();
  for (const Function& function : module)
    for (const Instruction& instruction : instructions(function)) {
      if (auto* store = dyn_cast<StoreInst>(&instruction);
          store && is_aligned(*store->getValueOperand(), store->getAlign(), layout)) {
        match_operation(*store);
        match_choice(*store, rare);
      }
      auto* atomic = dyn_cast<AtomicRMWInst>(&instruction);
      if (!atomic || !atomic->use_empty() ||
          !is_aligned(*atomic->getValOperand(), atomic->getAlign(), layout))
        continue;
      if (UpdateOp op = operation_of(atomic->getOperation()); op != UpdateOp::None)
        updates_[atomic] = {op, next_++};
    }
}

// Load and store lie in one block, so no site comes between them. A difference only counts with the loaded
// value on the left.
void Updates::match_operation(const StoreInst& store) {
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

// What remains of two values, where the new one is kept if `new predicate old`.
static UpdateOp kept_by(CmpInst::Predicate predicate) {
  switch (predicate) {
  case CmpInst::ICMP_SGT:
  case CmpInst::ICMP_SGE:
    return UpdateOp::SignedMax;
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_SLE:
    return UpdateOp::SignedMin;
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_UGE:
    return UpdateOp::UnsignedMax;
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_ULE:
    return UpdateOp::UnsignedMin;
  default:
    return UpdateOp::None;
  }
}

// Does a branch that goes through `aside`, or around it to `join`, decide nothing but whether `store` is made?
static bool decides_only(const StoreInst& store, const BasicBlock& from, const BasicBlock& join) {
  const BasicBlock* aside = store.getParent();
  if (aside->getSingleSuccessor() != &join) return false;
  for (const Instruction& instruction : *aside)
    if (&instruction != &store && !instruction.isTerminator() && !isa<DbgInfoIntrinsic>(instruction))
      return false;
  return all_of(join.phis(), [&](const PHINode& phi) {
    return phi.getIncomingValueForBlock(aside) == phi.getIncomingValueForBlock(&from);
  });
}

void Updates::match_choice(const StoreInst& store, const RareBlocks& rare) {
  const BasicBlock *aside = store.getParent(), *from = aside->getSinglePredecessor();
  const auto* branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return;
  const bool when_true = branch->getSuccessor(0) == aside;
  if (!decides_only(store, *from, *branch->getSuccessor(when_true ? 1 : 0))) return;
  const auto* compare = dyn_cast<ICmpInst>(branch->getCondition());
  if (!compare || !compare->hasOneUse() || compare->getParent() != from) return;
  for (unsigned side : {0u, 1u}) {
    const auto* load = dyn_cast<LoadInst>(compare->getOperand(side));
    if (!load || !load->hasOneUse() || load->getParent() != from || load->isVolatile()) continue;
    if (compare->getOperand(1 - side) != store.getValueOperand()) continue;
    if (!same_address(store.getModule()->getDataLayout(), load->getPointerOperand(),
                      store.getPointerOperand()))
      continue;
    CmpInst::Predicate predicate = side == 1 ? compare->getPredicate() : compare->getSwappedPredicate();
    UpdateOp op = kept_by(when_true ? predicate : CmpInst::getInversePredicate(predicate));
    if (op == UpdateOp::None || (rare && rare(*aside) != rare(*from))) return;
    updates_[load] = updates_[&store] = {op, next_++};
    joined_.insert({from, aside});
    return;
  }
}

} // namespace heddle
