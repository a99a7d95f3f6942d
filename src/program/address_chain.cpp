// A read's address is followed back through the values that it is made of, into callers by arguments and into callees by results, until
// another of the reads makes the value. Contexts are not told apart, and memory is not followed: what is stored and loaded again by another
// instruction counts as known, which makes chains too short rather than too long, and so hiding look less useful than it is.
//
// A list's element is mostly loaded in parts: the key, which is in the table of expensive reads as its line comes from memory, and the link to
// the next, which finds the line there. So a load that is a constant number of octets from one of the reads counts as that read, and so does
// one of an element of the array that the read is in: a bucket's slots.
#include "program/address_chain.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <algorithm>
#include <optional>

using namespace llvm;

namespace heddle {

namespace {

class Slicer {
public:
  explicit Slicer(ArrayRef<MemoryRead> reads) : reads_(reads), needs_(reads.size(), BitVector(reads.size())) {
    for (size_t i = 0; i != reads.size(); ++i) {
      by_[reads[i].by].push_back(i);
      from_[base_of(*reads[i].address)].push_back(i);
    }
  }

  std::vector<AddressChain> run() {
    for (size_t i = 0; i != reads_.size(); ++i)
      follow(i);
    close();
    std::vector<AddressChain> chains(reads_.size());
    for (size_t i = 0; i != reads_.size(); ++i)
      chains[i] = {behind(i), needs_[i].test(i)};
    return chains;
  }

private:
  static constexpr size_t most_values = 10000; // of one slice; what lies further back counts as known

  void follow(size_t read) {
    SmallVector<const Value*, 32> left{reads_[read].address};
    SmallPtrSet<const Value*, 32> seen;
    while (!left.empty() && seen.size() < most_values) {
      const Value* value = left.pop_back_val();
      if (isa<Constant>(value) || !seen.insert(value).second) continue;
      if (const auto* argument = dyn_cast<Argument>(value))
        add_passed(*argument, left);
      else if (const auto* instruction = dyn_cast<Instruction>(value))
        add_operands(read, *instruction, left);
    }
  }

  // What callers pass.
  static void add_passed(const Argument& argument, SmallVectorImpl<const Value*>& left) {
    for (const Use& use : argument.getParent()->uses())
      if (const auto* call = dyn_cast<CallBase>(use.getUser()); call && call->isCallee(&use))
        if (argument.getArgNo() < call->arg_size()) left.push_back(call->getArgOperand(argument.getArgNo()));
  }

  void add_operands(size_t read, const Instruction& instruction, SmallVectorImpl<const Value*>& left) {
    if (auto found = by_.find(&instruction); found != by_.end()) {
      for (size_t other : found->second)
        needs_[read].set(other);
      return;
    }
    if (const auto* load = dyn_cast<LoadInst>(&instruction); load && add_close(read, *load)) return;
    if (const auto* call = dyn_cast<CallBase>(&instruction))
      if (const Function* callee = call->getCalledFunction(); callee && !callee->isDeclaration()) {
        for (const BasicBlock& block : *callee)
          if (const auto* result = dyn_cast<ReturnInst>(block.getTerminator());
              result && result->getReturnValue())
            left.push_back(result->getReturnValue());
        return;
      }
    left.append(instruction.value_op_begin(), instruction.value_op_end());
  }

  static const Value* base_of(const Value& pointer) {
    const Value* base = &pointer;
    while (const auto* offset = dyn_cast<GEPOperator>(base)) {
      if (!offset->hasAllConstantIndices()) break;
      base = offset->getPointerOperand();
    }
    return base;
  }

  // Where the line may begin that the pointer is in.
  static SmallVector<const Value*, 8> bases_of(const Value& pointer) {
    SmallVector<const Value*, 8> bases{base_of(pointer)};
    if (const auto* element = dyn_cast<GEPOperator>(bases[0]))
      bases.push_back(base_of(*element->getPointerOperand()));
    if (const auto* either = dyn_cast<PHINode>(bases.back()))
      for (const Value* value : either->incoming_values())
        bases.push_back(base_of(*value));
    else if (const auto* one = dyn_cast<SelectInst>(bases.back()))
      bases.append({base_of(*one->getTrueValue()), base_of(*one->getFalseValue())});
    return bases;
  }

  // Has one of the reads brought the line?
  bool add_close(size_t read, const LoadInst& load) {
    bool found = false;
    for (const Value* base : bases_of(*load.getPointerOperand()))
      if (auto same = from_.find(base); same != from_.end() && isa<Instruction>(base)) {
        found = true;
        for (size_t other : same->second)
          needs_[read].set(other);
      }
    return found;
  }

  // What is needed of what is needed (Warshall).
  void close() {
    for (size_t between = 0; between != reads_.size(); ++between)
      for (BitVector& needs : needs_)
        if (needs.test(between)) needs |= needs_[between];
  }

  // Those that need each other count in the order in which they are given.
  unsigned behind(size_t read) {
    std::optional<unsigned>& known = behind_[read];
    if (known) return *known;
    unsigned most = 0;
    for (unsigned other : needs_[read].set_bits())
      if (other != read && (!needs_[other].test(read) || other < read))
        most = std::max(most, behind(other) + 1);
    behind_[read] = most;
    return most;
  }

  const ArrayRef<MemoryRead> reads_;
  std::vector<BitVector> needs_;
  DenseMap<const Value*, SmallVector<size_t, 2>> by_, from_;
  DenseMap<size_t, std::optional<unsigned>> behind_;
};

} // namespace

std::vector<AddressChain> address_chains(ArrayRef<MemoryRead> reads) {
  return Slicer(reads).run();
}

} // namespace heddle
