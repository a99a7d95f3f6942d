// Problem. A packet that needs two lines of memory whose addresses do not depend on each other should wait once. By hand both are prefetched in
// front of the first wait; in the program as written, what makes the second address stands behind the first load, and maybe on some ways only.
//
// Choice. The instructions that make the address are copied to the earlier place; nothing is moved, so the program's own values stay what they
// are and nothing more is live while a packet waits. A prefetch never faults, so an address may be wrong: be that of a way that the packet does
// not take, or made of an old value. What must hold is that making it does not fault either:
//
//   - arithmetic that LLVM calls speculatable is copied wherever it stands (no division by what may be zero);
//   - a load is copied if memory is known to be there (LLVM's dereferenceable), or if the packet is sure to make it with this very address:
//     its block post-dominates the place, no loop and nothing that may not come back or that other threads could see lies between, and
//     what the address is made of is exact: values that are known at the place, arithmetic on them, and what such loads bring
//     where nothing between writes to memory. All else that may trap must be so, too;
//   - a load from where an earlier one has loaded from is not made again: the old value may be out of date, so the address may be wrong, and no load
//     goes by it;
//   - no load is copied that may wait for memory itself: one from the object that another mark between the places names.
//
// What other packets do meanwhile is not seen here: loads in code that packets pass in order are the planner's to refuse (plan/hide.cpp).
#include "program/address_slice.h"

#include "program/expensive.h"
#include "program/program.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

namespace heddle {

static constexpr size_t most_instructions = 48; // that are worth it: what stepping aside takes, twice

// The variable that is written, or the pointer without constant offsets.
static const Value* base_of_write(const Value& pointer) {
  const Value* object = getUnderlyingObject(&pointer, 0);
  return isa<AllocaInst>(object) ? object : pointer.stripInBoundsConstantOffsets();
}

AddressSlicer::AddressSlicer(const Function& function)
    : layout_(function.getParent()->getDataLayout()), dominators_(const_cast<Function&>(function)),
      post_dominators_(const_cast<Function&>(function)) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 8> back;
  FindFunctionBackedges(function, back);
  ways_back_.insert(back.begin(), back.end());
  for (const Instruction& instruction : instructions(function))
    if (marks_expensive(instruction)) // inlining joins blocks: it may be anywhere
      marks_.push_back(cast<CallBase>(&instruction));
    else if (const auto* load = dyn_cast<LoadInst>(&instruction))
      loads_[place_of(*load->getPointerOperand())].push_back(load);
    else if (const auto* store = dyn_cast<StoreInst>(&instruction))
      writes_[base_of_write(*store->getPointerOperand())].push_back(store);
    else if (const auto* set = dyn_cast<AnyMemIntrinsic>(&instruction))
      writes_[base_of_write(*set->getDest())].push_back(set);
}

AddressSlicer::Place AddressSlicer::place_of(const Value& pointer) const {
  APInt offset(layout_.getIndexTypeSizeInBits(pointer.getType()), 0);
  const Value* base = pointer.stripAndAccumulateConstantOffsets(layout_, offset, true);
  return {base, offset.getSExtValue()};
}

bool AddressSlicer::comes_before(const CallBase& mark, const CallBase& other) const {
  return &mark != &other && dominators_.dominates(&mark, &other);
}

class SliceSearch {
public:
  SliceSearch(const AddressSlicer& in, const CallBase& at) : in_(in), at_(at) {}

  AddressSlice run(const CallBase& load) {
    find(*load.getArgOperand(0));
    return std::move(result_);
  }

private:
  // A value, made at the place: is it what it will be?
  enum class Found { Exact, MaybeOld, No };

  Found no(const Twine& obstacle, const Instruction& because) {
    result_.obstacle = obstacle.str();
    if (const SourceLocation where = location_of(because); where.line)
      result_.obstacle += " (" + where.str() + ")";
    return Found::No;
  }

  Found find(const Value& value) {
    const auto* instruction = dyn_cast<Instruction>(&value);
    if (!instruction || in_.dominators_.dominates(instruction, &at_)) return Found::Exact;
    if (auto known = found_.find(instruction); known != found_.end()) return known->second;
    if (isa<PHINode>(instruction)) return no("its address depends on the way there", *instruction);
    const auto* load = dyn_cast<LoadInst>(instruction);
    const Found found = load ? find_loaded(*load) : find_computed(*instruction);
    if (found == Found::No) return found;
    if (!result_.brought.contains(instruction)) result_.made.push_back(instruction);
    if (result_.made.size() > most_instructions)
      return no("its address takes many instructions to make", *instruction);
    return found_[instruction] = found;
  }

  Found find_computed(const Instruction& instruction) {
    bool exact = true;
    for (const Value* operand : instruction.operands()) {
      const Found found = find(*operand);
      if (found == Found::No) return found;
      exact &= found == Found::Exact;
    }
    if (isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction))
      return no("its address is made of what a function returns", instruction);
    if (instruction.mayReadOrWriteMemory() || instruction.isTerminator())
      return no("its address is made of what is in memory", instruction);
    if (!isSafeToSpeculativelyExecute(&instruction, &at_, nullptr, &in_.dominators_) &&
        !(exact && is_sure_to_run(instruction).first))
      return no("making its address might trap there", instruction);
    return exact ? Found::Exact : Found::MaybeOld;
  }

  Found find_loaded(const LoadInst& load) {
    if (!load.isSimple()) return no("its address is made of what is volatile", load);
    if (is_written(load)) return no("its address is made of what is written on the way there", load);
    if (const LoadInst* earlier = same_before(load)) {
      result_.brought[&load] = earlier;
      return Found::MaybeOld;
    }
    if (const CallBase* mark = may_wait_for(load))
      return no("its address is made of what another expensive load brings", *mark);
    const Found pointer = find(*load.getPointerOperand());
    if (pointer == Found::No) return pointer;
    const auto [sure, writes] = is_sure_to_run(load);
    if (pointer == Found::Exact &&
        (sure || isSafeToSpeculativelyExecute(&load, &at_, nullptr, &in_.dominators_)))
      return sure && !writes ? Found::Exact : Found::MaybeOld;
    return no("its address is made of a load that might fault there", load);
  }

  // Another load from there, of which the value is known.
  const LoadInst* same_before(const LoadInst& load) const {
    const auto others = in_.loads_.find(in_.place_of(*load.getPointerOperand()));
    if (others == in_.loads_.end()) return nullptr;
    for (const LoadInst* other : others->second)
      if (other->getType() == load.getType() && in_.dominators_.dominates(other, &at_)) return other;
    return nullptr;
  }

  // Is it written between the places, for all that one can tell? What others write that may be there as well is not looked at.
  bool is_written(const LoadInst& load) const {
    const auto writes = in_.writes_.find(base_of_write(*load.getPointerOperand()));
    if (writes == in_.writes_.end()) return false;
    const AddressSlicer::Place place = in_.place_of(*load.getPointerOperand());
    return any_of(writes->second, [&](const Instruction* write) {
      if (in_.dominators_.dominates(write, &at_)) return false;
      const auto* store = dyn_cast<StoreInst>(write);
      return !store || isa<AllocaInst>(writes->first) || in_.place_of(*store->getPointerOperand()) == place;
    });
  }

  // A mark, not one that packets have waited at before, of something in the same object; a field that all packets read is in the cache.
  const CallBase* may_wait_for(const LoadInst& load) const {
    const Value* object = getUnderlyingObject(load.getPointerOperand(), 0);
    const bool is_field = is_at_constant_offset(*load.getPointerOperand(), *object);
    for (const CallBase* mark : in_.marks_) {
      const Value& named = *mark->getArgOperand(0);
      if (getUnderlyingObject(&named, 0) != object || in_.comes_before(*mark, at_)) continue;
      if (!is_field || is_at_constant_offset(named, *object)) return mark;
    }
    return nullptr;
  }

  static bool is_at_constant_offset(const Value& pointer, const Value& object) {
    return pointer.stripInBoundsConstantOffsets() == &object;
  }

  // Does a packet that comes to the place make it, with the same operands? And does anything between write to memory?
  std::pair<bool, bool> is_sure_to_run(const Instruction& instruction) const {
    const BasicBlock *begin = at_.getParent(), *end = instruction.getParent();
    if (!in_.post_dominators_.dominates(end, begin)) return {false, true};
    bool writes = false;
    SmallPtrSet<const BasicBlock*, 16> seen;
    SmallVector<BasicBlock::const_iterator, 16> left{std::next(at_.getIterator())};
    while (!left.empty()) {
      BasicBlock::const_iterator between = left.pop_back_val();
      const BasicBlock* block = between->getParent();
      for (; between != block->end() && &*between != &instruction; ++between) {
        if (!is_harmless(*between)) return {false, true};
        writes |= between->mayWriteToMemory() && !touches_nothing(*between);
      }
      if (block == end) continue;
      for (const BasicBlock* next : successors(block)) {
        if (in_.ways_back_.contains({block, next})) return {false, true};
        if (seen.insert(next).second) left.push_back(next->begin());
      }
    }
    return {true, writes};
  }

  // Heddle's own marks, and where packets wait.
  static bool touches_nothing(const Instruction& instruction) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    return call && call->onlyAccessesInaccessibleMemory() && call->hasFnAttr(Attribute::NoSync) &&
           call->hasFnAttr(Attribute::NoFree);
  }

  static bool is_harmless(const Instruction& instruction) {
    const bool unknown_call =
        isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction) && !touches_nothing(instruction);
    return !unknown_call && !instruction.isAtomic() && !instruction.isVolatile() &&
           isGuaranteedToTransferExecutionToSuccessor(&instruction);
  }

  const AddressSlicer& in_;
  const CallBase& at_;
  AddressSlice result_;
  DenseMap<const Instruction*, Found> found_;
};

AddressSlice AddressSlicer::slice(const CallBase& load, const CallBase& at) const {
  return SliceSearch(*this, at).run(load);
}

Value* make_address(const CallBase& load, const AddressSlice& slice, Instruction& before) {
  DenseMap<const Value*, Value*> copies;
  for (auto [value, earlier] : slice.brought)
    copies[value] = const_cast<LoadInst*>(earlier);
  auto copy_of = [&](Value* value) {
    auto found = copies.find(value);
    return found == copies.end() ? value : found->second;
  };
  for (const Instruction* made : slice.made) {
    Instruction* copy = made->clone();
    for (Use& operand : copy->operands())
      operand.set(copy_of(operand.get()));
    copy->dropUnknownNonDebugMetadata(); // said where it stood
    copy->setDebugLoc(before.getDebugLoc());
    copy->insertBefore(&before);
    copies[made] = copy;
  }
  return copy_of(load.getArgOperand(0));
}

} // namespace heddle
