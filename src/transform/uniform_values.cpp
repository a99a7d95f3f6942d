// A value is the same for all packets if it is made of nothing but constants, what is known before the first packet, and other such values; or if it is loaded
// from such an address, and nothing that packets do may write there. The latter is what the compiler's hoisting out of the packet loop
// rests on: LLVM's rules for pointers and the language's for types (TBAA). What restrict pointers of inlined functions say is about one packet at a
// time, and has gone by then (interleave.cpp).
//
// An address that is the same for all is no variable of a packet. That each load brings the same holds for each packet that makes it; nothing is said
// of one that does not, so nothing may be hoisted by that.
#include "transform/uniform_values.h"

#include "transform/wait_marks.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

namespace {

class UniformSearch {
public:
  UniformSearch(Function& run, const BasicBlock& entry, ArrayRef<BasicBlock*> blocks)
      : entry_(entry), library_of_(Triple(run.getParent()->getTargetTriple())), library_(library_of_),
        assumptions_(run), dominators_(run),
        basic_(run.getDataLayout(), run, library_, assumptions_, &dominators_), aliases_(library_) {
    aliases_.addAAResult(basic_);
    aliases_.addAAResult(types_);
    for (const BasicBlock* block : blocks)
      for (const Instruction& instruction : *block)
        if (may_write(instruction)) writes_.push_back(&instruction);
  }

  UniformValues run(ArrayRef<BasicBlock*> blocks) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock* block : blocks)
        for (const Instruction& instruction : *block)
          if (!found_.contains(&instruction) && is_uniform(instruction)) {
            found_.insert(&instruction);
            changed = true;
          }
    }
    return std::move(found_);
  }

private:
  // A place to wait is a call of nothing.
  static bool may_write(const Instruction& instruction) {
    return instruction.mayWriteToMemory() && !is_wait(instruction) &&
           !isa<AssumeInst, NoAliasScopeDeclInst>(instruction) &&
           !(isa<IntrinsicInst>(instruction) &&
             cast<IntrinsicInst>(instruction).getIntrinsicID() == Intrinsic::prefetch);
  }

  bool is_uniform(const Instruction& instruction) {
    const auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load && !isa<GetElementPtrInst, BinaryOperator, CastInst, CmpInst, SelectInst>(instruction))
      return false;
    return all_of(instruction.operands(), [&](const Value* operand) { return is_known(*operand); }) &&
           (!load || is_never_written(*load));
  }

  bool is_known(const Value& value) const {
    if (isa<Constant, Argument>(value)) return true;
    const auto* instruction = dyn_cast<Instruction>(&value);
    return instruction && (instruction->getParent() == &entry_ || found_.contains(instruction));
  }

  bool is_never_written(const LoadInst& load) {
    if (!load.isSimple()) return false;
    const MemoryLocation place = MemoryLocation::get(&load);
    return none_of(writes_,
                   [&](const Instruction* write) { return isModSet(aliases_.getModRefInfo(write, place)); });
  }

  const BasicBlock& entry_;
  TargetLibraryInfoImpl library_of_;
  TargetLibraryInfo library_;
  AssumptionCache assumptions_;
  DominatorTree dominators_;
  BasicAAResult basic_;
  TypeBasedAAResult types_;
  AAResults aliases_;
  SmallVector<const Instruction*, 32> writes_;
  UniformValues found_;
};

} // namespace

UniformValues uniform_values(Function& run, const BasicBlock& entry, ArrayRef<BasicBlock*> blocks) {
  return UniformSearch(run, entry, blocks).run(blocks);
}

} // namespace heddle
