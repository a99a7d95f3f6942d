#include "analysis/detours.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

namespace heddle {

namespace {

using Blocks = SmallPtrSet<const BasicBlock*, 16>;

struct Touched {
  Place place;
  uint64_t size;
  bool write;
};
using TouchedByObject = DenseMap<ObjectId, SmallVector<Touched, 2>>;

class Detours {
public:
  Detours(const Function& function, const PointsTo& points_to, function_ref<bool(const BasicBlock&)> rare)
      : layout_(function.getParent()->getDataLayout()), points_to_(points_to) {
    for (const BasicBlock& block : function)
      if (!rare(block)) common_.insert(&block);
    if (common_.empty() || common_.size() == function.size()) return;
    for (const BasicBlock& block : function)
      if (!common_.contains(&block) && is_plain(block)) plain_.insert(&block);
    for (const BasicBlock& block : function)
      if (plain_.contains(&block) && !seen_.contains(&block)) look_at_region(block);
  }

  SmallVector<const BasicBlock*, 8> result;

private:
  static bool is_plain(const Instruction& instruction) {
    if (instruction.isVolatile() || instruction.isAtomic()) return false;
    if (isa<LoadInst, StoreInst, DbgInfoIntrinsic>(instruction)) return true;
    if (const auto* memory = dyn_cast<MemIntrinsic>(&instruction)) return !memory->isVolatile();
    return !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects();
  }

  static bool is_plain(const BasicBlock& block) {
    return isa<BranchInst, SwitchInst>(block.getTerminator()) && !block.isEHPad() &&
           all_of(block, [](const Instruction& instruction) { return is_plain(instruction); });
  }

  void add_touched(const Value* pointer, std::optional<uint64_t> size, bool write, TouchedByObject& to) {
    for (const Pointee& pointee : points_to_.points_to(pointer))
      to[pointee.object].push_back({pointee.place, size.value_or(unknown_size), write});
  }

  // Of calls, only those for memory that LLVM knows: what is left out here is only missed.
  void add_touched(const Instruction& instruction, TouchedByObject& to) {
    auto size_of = [&](Type* type) { return layout_.getTypeStoreSize(type).getKnownMinValue(); };
    if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
      add_touched(load->getPointerOperand(), size_of(load->getType()), false, to);
    } else if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
      add_touched(store->getPointerOperand(), size_of(store->getValueOperand()->getType()), true, to);
    } else if (const auto* memory = dyn_cast<MemIntrinsic>(&instruction)) {
      std::optional<uint64_t> size;
      if (const auto* length = dyn_cast<ConstantInt>(memory->getLength())) size = length->getZExtValue();
      add_touched(memory->getDest(), size, true, to);
      if (const auto* transfer = dyn_cast<MemTransferInst>(memory))
        add_touched(transfer->getSource(), size, false, to);
    }
  }

  const TouchedByObject& by_common() {
    if (!by_common_) {
      by_common_.emplace();
      for (const BasicBlock* block : common_)
        for (const Instruction& instruction : *block)
          add_touched(instruction, *by_common_);
    }
    return *by_common_;
  }

  bool touches_no_more(const Blocks& region) {
    TouchedByObject touched;
    for (const BasicBlock* block : region)
      for (const Instruction& instruction : *block)
        add_touched(instruction, touched);
    return all_of(touched, [&](const auto& of_object) {
      const auto common = by_common().find(of_object.first);
      return common != by_common().end() && all_of(of_object.second, [&](const Touched& rare) {
               return any_of(common->second, [&](const Touched& other) {
                 return (other.write || !rare.write) &&
                        may_overlap(other.place, other.size, rare.place, rare.size);
               });
             });
    });
  }

  void look_at_region(const BasicBlock& first) {
    Blocks region, in, out;
    bool only_common_around = true;
    SmallVector<const BasicBlock*, 8> work{&first};
    while (!work.empty()) {
      const BasicBlock* block = work.pop_back_val();
      if (!region.insert(block).second) continue;
      auto meet = [&](const BasicBlock* other, Blocks& side) {
        if (plain_.contains(other))
          work.push_back(other);
        else if (common_.contains(other))
          side.insert(other);
        else
          only_common_around = false;
      };
      for (const BasicBlock* before : predecessors(block))
        meet(before, in);
      for (const BasicBlock* after : successors(block))
        meet(after, out);
    }
    seen_.insert(region.begin(), region.end());
    if (only_common_around && !in.empty() && touches_no_more(region) &&
        all_of(in, [&](const BasicBlock* from) { return reaches_all(*from, out); }))
      result.append(region.begin(), region.end());
  }

  bool reaches_all(const BasicBlock& from, const Blocks& targets) const {
    Blocks reached;
    SmallVector<const BasicBlock*, 16> work{&from};
    while (!work.empty())
      for (const BasicBlock* after : successors(work.pop_back_val()))
        if (common_.contains(after) && reached.insert(after).second) work.push_back(after);
    return all_of(targets, [&](const BasicBlock* target) { return reached.contains(target); });
  }

  const DataLayout& layout_;
  const PointsTo& points_to_;
  Blocks common_, plain_, seen_;
  std::optional<TouchedByObject> by_common_; // once it is needed
};

} // namespace

SmallVector<const BasicBlock*, 8> detours(const Function& function, const PointsTo& points_to,
                                          function_ref<bool(const BasicBlock&)> rare) {
  return Detours(function, points_to, rare).result;
}

} // namespace heddle
