// Problem. What a packet keeps is stored and loaded each time that it waits, and much of it says the same twice: a bucket's number and its address, an
// index and the pointer that is made of it. By hand one keeps one of them.
//
// Choice. A value whose operands are kept anyway is made again by the instruction that made it (rematerialisation: Briggs, Cooper and Torczon, PLDI 1992), if
// that is arithmetic without conditions; and one made of two such instructions, too, since a store and a load are two. In SSA form the operands of a
// value that is live are those that it was made of: a definition of theirs in between would dominate no use of the value.
//
// One value after the other, in the order of the code. What a value that is left out is made of stays, so all can be made in the order in which they were
// taken.
#include "transform/remade_values.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle {

namespace {

constexpr unsigned most_instructions = 2;

bool is_cheap(const Instruction& instruction) {
  if (instruction.getType()->isVectorTy()) return false;
  if (isa<GetElementPtrInst, ZExtInst, SExtInst, TruncInst>(instruction)) return true;
  if (instruction.getOpcode() == Instruction::Mul) return isa<ConstantInt>(instruction.getOperand(1));
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return true;
  default:
    return false;
  }
}

class Remaking {
public:
  Remaking(SetVector<Instruction*>& live, function_ref<bool(const Value&)> is_known)
      : live_(live), is_known_(is_known) {}

  SmallVector<Instruction*, 4> run() {
    SmallVector<Instruction*, 16> candidates(live_.begin(), live_.end());
    for (Instruction* value : candidates) {
      order_.clear();
      if (needed_.contains(value) || instructions_of(*value, *value) > most_instructions) continue;
      live_.remove(value);
      append_range(made_, order_);
      made_set_.insert(order_.begin(), order_.end());
      for (const Instruction* made : order_)
        for (const Value* operand : made->operands())
          if (const auto* instruction = dyn_cast<Instruction>(operand)) needed_.insert(instruction);
    }
    return std::move(made_);
  }

private:
  // To make it, `root` not being there. What is made for another value counts as there.
  unsigned instructions_of(Instruction& value, const Instruction& root) {
    if (!is_cheap(value)) return most_instructions + 1;
    unsigned count = isa<ZExtInst, TruncInst>(value) ? 0 : 1; // a part of a register
    for (Value* operand : value.operands()) {
      auto* instruction = dyn_cast<Instruction>(operand);
      if (!instruction || is_known_(*operand) || made_set_.contains(instruction) ||
          is_contained(order_, instruction) || (instruction != &root && live_.contains(instruction)))
        continue;
      count += instructions_of(*instruction, root);
      if (count > most_instructions) return count;
    }
    order_.push_back(&value);
    return count;
  }

  SetVector<Instruction*>& live_;
  const function_ref<bool(const Value&)> is_known_;
  SmallVector<Instruction*, 4> made_, order_;
  SmallPtrSet<const Instruction*, 8> made_set_, needed_;
};

} // namespace

SmallVector<Instruction*, 4> take_remade(SetVector<Instruction*>& live,
                                         function_ref<bool(const Value&)> is_known) {
  return Remaking(live, is_known).run();
}

void remake(IRBuilder<>& builder, ArrayRef<Instruction*> values,
            function_ref<AllocaInst*(Instruction&)> variable_of) {
  DenseMap<const Value*, Value*> made;
  for (Instruction* value : values) {
    Instruction* copy = value->clone();
    for (Use& operand : copy->operands()) {
      auto* instruction = dyn_cast<Instruction>(operand.get());
      if (!instruction) continue;
      if (Value* before = made.lookup(instruction))
        operand.set(before);
      else if (AllocaInst* variable = variable_of(*instruction))
        operand.set(builder.CreateLoad(instruction->getType(), variable, instruction->getName()));
    }
    made[value] = builder.Insert(copy, value->getName());
    if (AllocaInst* variable = variable_of(*value)) builder.CreateStore(copy, variable);
  }
}

} // namespace heddle
