// Problem. A hash table's bucket is searched by comparing all its slots at once, and plain C says that as a loop:
//
//     for (slot = 0; slot < 8; slot++) matches |= (bucket->keys[slot] == key) << slot;
//
// Unrolled, that is a tree of `or`. LLVM 19's vectoriser takes its first leaf, which has no shift, for another kind than the rest, and so four of eight slots
// become a vector and four do not: some 35 instructions for a bucket, more than all others of a look-up whose latency is hidden (docs/hide.md).
// Choice. The tree is a vector's comparison, whose bits are the number: a load, a comparison and a move on most processors.
//
// match: `or` of bits b, b + 1, ..., each of a comparison; their operands are the same for all, or elements of memory one behind the other, or made of such by
// the same arithmetic. legal: all elements are loaded in one block, and nothing there writes in between, so the last load can load all of them;
// what is compared can be made where the tree ends. profitable: four bits or more, and a comparison that the target has for vectors.
// rewrite: in place; what else is in the tree stays. count: trees.
#include "program/match_bits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>
#include <utility>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle {

namespace {

constexpr size_t least_bits = 4, most_bits = 64;

struct Leaf {
  uint64_t bit;
  ICmpInst* comparison;
};

std::optional<Leaf> leaf_of(Value& value) {
  Value* condition = nullptr;
  const APInt *power = nullptr, *shift = nullptr;
  uint64_t bit = 0;
  if (match(&value, m_Select(m_Value(condition), m_Power2(power), m_Zero())))
    bit = power->logBase2();
  else if (match(&value, m_Shl(m_ZExt(m_Value(condition)), m_APInt(shift))))
    bit = shift->getLimitedValue(most_bits);
  else if (!match(&value, m_ZExt(m_Value(condition))))
    return std::nullopt;
  auto* comparison = dyn_cast<ICmpInst>(condition);
  if (!comparison || !comparison->getOperand(0)->getType()->isIntegerTy()) return std::nullopt;
  return Leaf{bit, comparison};
}

class MatchTree {
public:
  MatchTree(BinaryOperator& root, const TargetTransformInfo& target)
      : root_(root), target_(target), layout_(root.getDataLayout()) {}

  bool join() {
    collect(root_);
    if (leaves_.size() < least_bits || !isPowerOf2_64(leaves_.size()) || leaves_.size() > most_bits)
      return false;
    sort(leaves_, [](const Leaf& a, const Leaf& b) { return a.bit < b.bit; });
    for (size_t k = 0; k != leaves_.size(); ++k)
      if (leaves_[k].bit != leaves_[0].bit + k ||
          leaves_[k].comparison->getPredicate() != leaves_[0].comparison->getPredicate())
        return false;
    if (leaves_.back().bit >= root_.getType()->getIntegerBitWidth()) return false;
    const Values left = operands(comparisons(), 0), right = operands(comparisons(), 1);
    if (!can_be_vector(left, 0) || !can_be_vector(right, 0) || loads_ == 0 || !is_cheap(*left[0]->getType()))
      return false;
    IRBuilder<> builder(&root_);
    Value* matches =
        builder.CreateICmp(leaves_[0].comparison->getPredicate(), make(builder, left), make(builder, right));
    Value* bits = builder.CreateBitCast(matches, builder.getIntNTy(unsigned(leaves_.size())));
    Value* result = builder.CreateShl(builder.CreateZExt(bits, root_.getType()), leaves_[0].bit);
    for (Value* other : others_)
      result = builder.CreateOr(result, other);
    root_.replaceAllUsesWith(result);
    RecursivelyDeleteTriviallyDeadInstructions(&root_);
    return true;
  }

private:
  using Values = SmallVector<Value*, 8>;

  void collect(BinaryOperator& tree) {
    for (Value* operand : tree.operands()) {
      auto* inner = dyn_cast<BinaryOperator>(operand);
      if (inner && inner->getOpcode() == Instruction::Or && inner->hasOneUse() &&
          inner->getParent() == root_.getParent())
        collect(*inner);
      else if (const auto leaf = leaf_of(*operand))
        leaves_.push_back(*leaf);
      else
        others_.push_back(operand);
    }
  }

  Values comparisons() const {
    Values values;
    for (const Leaf& leaf : leaves_)
      values.push_back(leaf.comparison);
    return values;
  }

  static Values operands(ArrayRef<Value*> of, unsigned number) {
    Values values;
    for (Value* value : of)
      values.push_back(cast<Instruction>(value)->getOperand(number));
    return values;
  }

  // The comparison as a vector takes less than those that are there.
  bool is_cheap(Type& element) const {
    auto* vector = FixedVectorType::get(&element, unsigned(leaves_.size()));
    const InstructionCost cost = target_.getCmpSelInstrCost(
        Instruction::ICmp, vector, CmpInst::makeCmpResultType(vector), leaves_[0].comparison->getPredicate(),
        TargetTransformInfo::TCK_RecipThroughput);
    return cost.isValid() && cost < InstructionCost::CostType(leaves_.size());
  }

  bool can_be_vector(ArrayRef<Value*> values, unsigned depth) {
    constexpr unsigned most_deep = 4;
    if (all_equal(values)) return true;
    if (all_of(values, [](const Value* value) { return isa<ConstantInt>(value); })) return true;
    auto* first = dyn_cast<Instruction>(values[0]);
    if (!first || depth == most_deep) return false;
    for (const Value* value : values) {
      const auto* instruction = dyn_cast<Instruction>(value);
      if (!instruction || instruction->getOpcode() != first->getOpcode() ||
          instruction->getType() != first->getType())
        return false;
    }
    if (isa<LoadInst>(first)) return are_elements(values);
    if (isa<CastInst>(first))
      return first->getType()->isIntegerTy() && first->getOperand(0)->getType()->isIntegerTy() &&
             all_of(values,
                    [&](const Value* value) {
                      return cast<CastInst>(value)->getSrcTy() == first->getOperand(0)->getType();
                    }) &&
             can_be_vector(operands(values, 0), depth + 1);
    if (!isa<BinaryOperator>(first) || first->isIntDivRem()) return false;
    return can_be_vector(operands(values, 0), depth + 1) && can_be_vector(operands(values, 1), depth + 1);
  }

  // One behind the other in memory, and loaded with nothing in between that writes.
  bool are_elements(ArrayRef<Value*> values) {
    Type* type = values[0]->getType();
    const uint64_t bits = layout_.getTypeSizeInBits(type);
    if (!type->isIntegerTy() || bits < 8 || !isPowerOf2_64(bits)) return false;
    const Value* base = nullptr;
    int64_t begin = 0;
    for (auto [k, value] : enumerate(values)) {
      const auto* load = cast<LoadInst>(value);
      const Value* pointer = load->getPointerOperand();
      APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
      pointer = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
      if (k == 0) std::tie(base, begin) = std::pair(pointer, offset.getSExtValue());
      if (!load->isSimple() || load->getParent() != root_.getParent() || pointer != base ||
          offset.getSExtValue() != begin + int64_t(k * (bits / 8)))
        return false;
    }
    const auto [from, to] = ends_of(values);
    for (auto between = from->getIterator(); &*between != to; ++between)
      if (between->mayWriteToMemory()) return false;
    ++loads_;
    return true;
  }

  static std::pair<LoadInst*, LoadInst*> ends_of(ArrayRef<Value*> loads) {
    auto *from = cast<LoadInst>(loads[0]), *to = from;
    for (Value* value : loads) {
      auto* load = cast<LoadInst>(value);
      if (load->comesBefore(from)) from = load;
      if (to->comesBefore(load)) to = load;
    }
    return {from, to};
  }

  // What an instruction promises of its result (nuw, exact) goes.
  Value* make(IRBuilder<>& builder, ArrayRef<Value*> values) {
    const auto count = unsigned(values.size());
    if (all_equal(values)) return builder.CreateVectorSplat(count, values[0]);
    if (isa<ConstantInt>(values[0])) {
      SmallVector<Constant*, 8> constants;
      for (Value* value : values)
        constants.push_back(cast<Constant>(value));
      return ConstantVector::get(constants);
    }
    auto* first = cast<Instruction>(values[0]);
    if (auto* load = dyn_cast<LoadInst>(first)) return make_load(*load, values);
    Value* left = make(builder, operands(values, 0));
    if (auto* cast = dyn_cast<CastInst>(first))
      return builder.CreateCast(cast->getOpcode(), left, FixedVectorType::get(cast->getType(), count));
    return builder.CreateBinOp(cast<BinaryOperator>(first)->getOpcode(), left,
                               make(builder, operands(values, 1)));
  }

  static Value* make_load(LoadInst& first, ArrayRef<Value*> values) {
    IRBuilder<> builder(ends_of(values).second);
    auto* type = FixedVectorType::get(first.getType(), unsigned(values.size()));
    LoadInst* load = builder.CreateAlignedLoad(type, first.getPointerOperand(), first.getAlign(), "slots");
    MDNode* tag = first.getMetadata(LLVMContext::MD_tbaa);
    if (all_of(values, [&](const Value* value) {
          return cast<LoadInst>(value)->getMetadata(LLVMContext::MD_tbaa) == tag;
        }))
      load->setMetadata(LLVMContext::MD_tbaa, tag);
    return load;
  }

  BinaryOperator& root_;
  const TargetTransformInfo& target_;
  const DataLayout& layout_;
  SmallVector<Leaf, 8> leaves_;
  Values others_; // of the tree
  unsigned loads_ = 0;
};

bool is_root(const Instruction& instruction) {
  if (instruction.getOpcode() != Instruction::Or || !instruction.getType()->isIntegerTy()) return false;
  const auto* user = instruction.hasOneUse() ? dyn_cast<Instruction>(*instruction.user_begin()) : nullptr;
  return !user || user->getOpcode() != Instruction::Or || user->getParent() != instruction.getParent();
}

} // namespace

unsigned join_matches(Function& function, const TargetTransformInfo& target) {
  if (function.hasFnAttribute(Attribute::NoImplicitFloat)) return 0;
  SmallVector<WeakVH, 16> roots;
  for (Instruction& instruction : instructions(function))
    if (is_root(instruction)) roots.push_back(&instruction);
  unsigned joined = 0;
  for (WeakVH& root : roots)
    if (root) joined += MatchTree(*cast<BinaryOperator>(root), target).join();
  return joined;
}

} // namespace heddle
