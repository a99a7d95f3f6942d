// Values: constants, pointer arithmetic, integers that may be pointers, loads and stores.
#include "analysis/constraints.h"
#include "analysis/solver_components.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <bit>

using namespace llvm;

namespace heddle {

bool carries_pointer(Type* type) {
  if (type->isPointerTy()) return true;
  if (auto* integer = dyn_cast<IntegerType>(type)) return integer->getBitWidth() >= 64;
  if (auto* vector = dyn_cast<FixedVectorType>(type)) {
    Type* element = vector->getElementType();
    if (element->isPointerTy()) return true;
    return element->isIntegerTy() && element->getIntegerBitWidth() * vector->getNumElements() >= 64;
  }
  if (auto* structure = dyn_cast<StructType>(type)) return any_of(structure->elements(), carries_pointer);
  if (auto* array = dyn_cast<ArrayType>(type)) return carries_pointer(array->getElementType());
  return false;
}

NodeId ConstraintBuilder::value(const Value* value) {
  if (isa<ConstantData>(value) || !carries_pointer(value->getType())) return nothing_;
  auto found = nodes_.find(value);
  if (found != nodes_.end()) return found->second;
  NodeId node = solver_.add_node();
  nodes_[value] = node;
  if (auto* constant = dyn_cast<Constant>(value)) build_constant(*constant, node);
  return node;
}

void ConstraintBuilder::build_constant(const Constant& constant, NodeId node) {
  if (auto* function = dyn_cast<Function>(&constant)) {
    solver_.add_address(node, functions_[function], Place::at(0));
  } else if (auto* global = dyn_cast<GlobalVariable>(&constant)) {
    solver_.add_address(node, object_of(*global), Place::at(0));
  } else if (auto* alias = dyn_cast<GlobalAlias>(&constant)) {
    solver_.add_copy(value(alias->getAliasee()), node);
  } else if (auto* ifunc = dyn_cast<GlobalIFunc>(&constant)) {
    if (const Function* resolver = ifunc->getResolverFunction()) solver_.add_copy(returned(*resolver), node);
  } else if (auto* gep = dyn_cast<GEPOperator>(&constant)) {
    build_offset(*gep, node);
  } else if (auto* expression = dyn_cast<ConstantExpr>(&constant); expression && !expression->isCast()) {
    build_arithmetic(*cast<Operator>(expression), node);
  } else {
    for (const Use& operand : constant.operands())
      solver_.add_copy(value(operand), node);
  }
}

// Largest number that the index is a known multiple of.
static uint64_t factor_of(const Value* index) {
  if (auto* cast = dyn_cast<CastInst>(index); cast && (isa<SExtInst>(cast) || isa<ZExtInst>(cast))) {
    auto* inner = dyn_cast<OverflowingBinaryOperator>(cast->getOperand(0));
    bool exact = inner && (isa<SExtInst>(cast) ? inner->hasNoSignedWrap() : inner->hasNoUnsignedWrap());
    return exact ? factor_of(cast->getOperand(0)) : 1;
  }
  auto* operation = dyn_cast<BinaryOperator>(index);
  auto* number = operation ? dyn_cast<ConstantInt>(operation->getOperand(1)) : nullptr;
  if (!number || number->getBitWidth() > 64) return 1;
  if (operation->getOpcode() == Instruction::Shl && number->getZExtValue() < 32)
    return uint64_t(1) << number->getZExtValue();
  if (operation->getOpcode() == Instruction::Mul && number->getSExtValue() > 0 &&
      number->getSExtValue() < (int64_t(1) << 32))
    return number->getZExtValue();
  if (operation->getOpcode() == Instruction::And && number->getSExtValue() < 0)
    return uint64_t(1) << std::countr_zero(number->getZExtValue());
  return 1;
}

static bool passes_pointers(const Instruction& instruction) {
  if (!carries_pointer(instruction.getType())) return false;
  if (isa<PHINode>(instruction) || isa<SelectInst>(instruction) || isa<GetElementPtrInst>(instruction))
    return true;
  return isa<CastInst>(instruction) || isa<FreezeInst>(instruction) ||
         instruction.getOpcode() == Instruction::Add;
}

// Additions of constants in a cycle of the function's values: the pointers that loops move.
void ConstraintBuilder::find_loops(const Function& function) {
  DenseMap<const Value*, uint32_t> numbers;
  std::vector<const Instruction*> values;
  for (const Instruction& instruction : instructions(function))
    if (passes_pointers(instruction)) {
      numbers[&instruction] = values.size();
      values.push_back(&instruction);
    }
  Components components(
      values.size(),
      [&](uint32_t number, SmallVectorImpl<uint32_t>& out) {
        for (const Use& operand : values[number]->operands())
          if (auto found = numbers.find(operand); found != numbers.end()) out.push_back(found->second);
      },
      [&](ArrayRef<uint32_t> members) {
        if (members.size() < 2) return;
        for (uint32_t member : members)
          in_loops_.insert(values[member]);
      });
  for (uint32_t number = 0; number < values.size(); ++number)
    components.visit(number);
}

void ConstraintBuilder::add_constant(const Value* where, NodeId from, NodeId to, int64_t bytes) {
  if (in_loops_.contains(where))
    solver_.add_index(from, to, std::abs(bytes), 0);
  else
    solver_.add_offset(from, to, bytes);
}

// Adds the constants that the value may be, if these are all: a phi or select of them, as of stores to several fields that were
// made one.
static bool find_constants(const Value* value, SmallPtrSetImpl<const Value*>& seen,
                           SmallVectorImpl<int64_t>& found) {
  constexpr size_t most = 8;
  if (!seen.insert(value).second) return true;
  if (auto* number = dyn_cast<ConstantInt>(value)) {
    found.push_back(number->getSExtValue());
    return found.size() <= most;
  }
  if (auto* phi = dyn_cast<PHINode>(value))
    return all_of(phi->incoming_values(), [&](const Use& v) { return find_constants(v, seen, found); });
  if (auto* select = dyn_cast<SelectInst>(value))
    return find_constants(select->getTrueValue(), seen, found) &&
           find_constants(select->getFalseValue(), seen, found);
  return false;
}

void ConstraintBuilder::build_offset(const GEPOperator& gep, NodeId node) {
  struct Index {
    uint64_t stride, count;
  };
  if (gep.getType()->isVectorTy()) {
    solver_.add_anywhere(value(gep.getPointerOperand()), node);
    return;
  }
  SmallVector<Index, 2> indices;
  SmallVector<int64_t, 8> offsets{0}; // any of these
  Type* outer = nullptr;              // what the step indexes into; null for the pointer itself
  Type* next = nullptr;
  for (auto step = gep_type_begin(gep), end = gep_type_end(gep); step != end; ++step) {
    const Value* operand = step.getOperand();
    outer = std::exchange(next, step.getIndexedType());
    if (StructType* structure = step.getStructTypeOrNull()) {
      const uint64_t element = cast<ConstantInt>(operand)->getZExtValue();
      for (int64_t& offset : offsets)
        offset += int64_t(layout_.getStructLayout(structure)->getElementOffset(element));
      continue;
    }
    uint64_t size = step.getSequentialElementStride(layout_).getFixedValue();
    SmallPtrSet<const Value*, 8> seen;
    SmallVector<int64_t, 8> numbers, sums;
    if (find_constants(operand, seen, numbers) && offsets.size() * numbers.size() <= 16) {
      for (int64_t offset : offsets)
        for (int64_t number : numbers)
          sums.push_back(offset + number * int64_t(size));
      offsets = sums;
      continue;
    }
    uint64_t factor = factor_of(operand);
    uint64_t count = 0;
    // The extent of an array type; one of at most one element may be longer than declared.
    if (auto* array = dyn_cast_or_null<ArrayType>(outer); array && array->getNumElements() > 1)
      count = array->getNumElements();
    if (size) indices.push_back({size * factor, factor == 1 ? count : (count + factor - 1) / factor});
  }
  NodeId from = value(gep.getPointerOperand());
  for (const Index& index : indices) {
    NodeId to = solver_.add_node();
    for (int64_t offset : std::exchange(offsets, {0}))
      add_constant(&gep, from, to, offset);
    from = to;
    to = solver_.add_node();
    solver_.add_index(from, to, index.stride, index.count);
    from = to;
  }
  for (int64_t offset : offsets)
    add_constant(&gep, from, node, offset);
}

// Is the integer computed from a pointer within this function? Then a difference with it is no pointer.
static bool derived_from_pointer(const Value* value, unsigned depth = 4) {
  if (isa<PtrToIntOperator>(value)) return true;
  if (depth == 0) return false;
  if (auto* phi = dyn_cast<PHINode>(value))
    return any_of(phi->incoming_values(), [&](const Use& v) { return derived_from_pointer(v, depth - 1); });
  if (auto* operation = dyn_cast<Instruction>(value); operation && operation->isBinaryOp())
    return operation->getOpcode() == Instruction::Add &&
           derived_from_pointer(operation->getOperand(0), depth - 1);
  return false;
}

// Is `value` the upper half in (upper << n | lower)?
static bool is_upper_half(const Value* value) {
  auto* shift = dyn_cast<BinaryOperator>(value);
  auto* amount =
      shift && shift->getOpcode() == Instruction::Shl ? dyn_cast<ConstantInt>(shift->getOperand(1)) : nullptr;
  return amount && amount->getBitWidth() == 64 && amount->getZExtValue() >= 16 &&
         isa<ZExtInst>(shift->getOperand(0));
}

static bool feeds_a_pointer(const Value* value, unsigned depth = 3) {
  return any_of(value->users(), [&](const User* user) {
    if (isa<IntToPtrInst>(user)) return true;
    return depth > 0 && (isa<BinaryOperator>(user) || isa<PHINode>(user)) && feeds_a_pointer(user, depth - 1);
  });
}

void ConstraintBuilder::build_mask(NodeId from, NodeId to, int64_t mask) {
  uint64_t cleared = ~uint64_t(mask);
  if (mask < 0 && std::has_single_bit(cleared + 1) && cleared < 4096)
    solver_.add_align(from, to, cleared + 1);
  else
    solver_.add_anywhere(from, to);
}

void ConstraintBuilder::build_arithmetic(const Operator& operation, NodeId node) {
  const Value *left = operation.getOperand(0), *right = operation.getOperand(1);
  auto* number = dyn_cast<ConstantInt>(right);
  bool small = number && number->getBitWidth() == 64;
  switch (operation.getOpcode()) {
  case Instruction::Add:
    if (small) return add_constant(&operation, value(left), node, number->getSExtValue());
    break;
  case Instruction::Sub:
    if (small) return solver_.add_offset(value(left), node, -number->getSExtValue());
    if (!derived_from_pointer(right)) solver_.add_anywhere(value(left), node);
    return;
  case Instruction::Or:
    if (small && number->getValue().isNonNegative() && number->getZExtValue() < 16) {
      solver_.add_copy(value(left), node);
      return solver_.add_offset(value(left), node, number->getSExtValue());
    }
    break;
  case Instruction::And:
    if (small) return build_mask(value(left), node, number->getSExtValue());
    break;
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::LShr:
    break;
  default:
    return;
  }
  solver_.add_anywhere(value(left), node);
  solver_.add_anywhere(value(right), node);
  if ((is_upper_half(left) || is_upper_half(right)) && feeds_a_pointer(&operation)) {
    solver_.add_copy(integers_, node);
    report_.integer_to_pointer.push_back(
        {"pointer put together from parts", source_of(&operation), &operation});
  }
}

// --- Memory ---------------------------------------------------------------------------------------------

// Offsets at which a value of `type` holds pointer-sized parts.
static void pieces_of(const DataLayout& layout, Type* type, int64_t start, SmallVectorImpl<int64_t>& out) {
  if (!carries_pointer(type)) return;
  if (auto* structure = dyn_cast<StructType>(type)) {
    const StructLayout* fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      pieces_of(layout, structure->getElementType(i), start + int64_t(fields->getElementOffset(i)), out);
    return;
  }
  if (auto* array = dyn_cast<ArrayType>(type)) {
    int64_t step = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    for (uint64_t i = 0; i < std::min<uint64_t>(array->getNumElements(), 64); ++i)
      pieces_of(layout, array->getElementType(), start + int64_t(i) * step, out);
    return;
  }
  int64_t size = layout.getTypeStoreSize(type).getFixedValue();
  for (int64_t at = 0; at + 8 <= std::max<int64_t>(size, 8); at += 8)
    out.push_back(start + at);
}

void ConstraintBuilder::load_pieces(NodeId to, NodeId address, Type* type) {
  SmallVector<int64_t, 4> pieces;
  pieces_of(layout_, type, 0, pieces);
  for (int64_t bytes : pieces)
    solver_.add_load(to, address, bytes);
}

void ConstraintBuilder::store_pieces(NodeId address, NodeId from, Type* type) {
  SmallVector<int64_t, 4> pieces;
  pieces_of(layout_, type, 0, pieces);
  for (int64_t bytes : pieces)
    solver_.add_store(address, from, bytes);
}

void ConstraintBuilder::visitAllocaInst(AllocaInst& alloca) {
  std::optional<uint64_t> size;
  if (auto bytes = alloca.getAllocationSize(layout_)) size = bytes->getFixedValue();
  ObjectId object = new_object(ObjectKind::Stack, &alloca, "", size);
  solver_.objects()[object].alignment = alloca.getAlign().value();
  if (!alloca.isArrayAllocation()) solver_.objects()[object].type = alloca.getAllocatedType();
  solver_.add_address(value(&alloca), object, Place::at(0));
}

// The integer type that a 64-bit access has by its alias tag ("long"); empty for pointers, characters and
// accesses without a tag.
static StringRef integer_alias_type(const Instruction& access, const Type* type) {
  const MDNode* tag = access.getMetadata(LLVMContext::MD_tbaa);
  if (!tag || !type->isIntegerTy(64) || tag->getNumOperands() < 3) return "";
  const auto* scalar = dyn_cast<MDNode>(tag->getOperand(1));
  const auto* name = scalar && scalar->getNumOperands() ? dyn_cast<MDString>(scalar->getOperand(0)) : nullptr;
  if (!name || name->getString() == "omnipotent char" || name->getString().contains("pointer")) return "";
  return name->getString();
}

// An integer of a known type was stored as that type, and is not read as a pointer (strict aliasing, which
// the optimiser relies on as well). So integers have a place of their own per type, apart from the pointers
// in memory: times, lengths and counters, written and read through pointers to records with pointers, would
// otherwise carry those along. Integers that visibly become pointers again see both.
void ConstraintBuilder::visitLoadInst(LoadInst& load) {
  if (!carries_pointer(load.getType())) return;
  StringRef alias_type = integer_alias_type(load, load.getType());
  if (!alias_type.empty()) solver_.add_copy(integers_stored_as(alias_type), value(&load));
  if (alias_type.empty() || feeds_a_pointer(&load, 6))
    load_pieces(value(&load), value(load.getPointerOperand()), load.getType());
}

NodeId ConstraintBuilder::integers_stored_as(StringRef alias_type) {
  auto [entry, fresh] = stored_integers_.try_emplace(alias_type, nothing_);
  if (fresh) {
    entry->second = solver_.add_node();
    if (!alias_type.empty()) solver_.add_copy(integers_stored_as(""), entry->second);
  }
  return stored_integers_[alias_type];
}

void ConstraintBuilder::visitStoreInst(StoreInst& store) {
  const Value* stored = store.getValueOperand();
  if (!carries_pointer(stored->getType()) || isa<ConstantData>(stored)) return;
  StringRef alias_type = integer_alias_type(store, stored->getType());
  if (stored->getType()->isIntegerTy(64)) solver_.add_copy(value(stored), integers_stored_as(alias_type));
  if (alias_type.empty()) store_pieces(value(store.getPointerOperand()), value(stored), stored->getType());
}

void ConstraintBuilder::visitGetElementPtrInst(GetElementPtrInst& gep) {
  build_offset(cast<GEPOperator>(gep), value(&gep));
}

void ConstraintBuilder::visitCastInst(CastInst& cast) {
  if (!carries_pointer(cast.getType())) return;
  const Value* from = cast.getOperand(0);
  if (carries_pointer(from->getType())) solver_.add_copy(value(from), value(&cast));
  if (isa<PtrToIntInst>(cast)) solver_.add_copy(value(from), integers_);
  if (isa<IntToPtrInst>(cast))
    report_.integer_to_pointer.push_back({"integer turned into a pointer", source_of(&cast), &cast});
}

void ConstraintBuilder::visitBinaryOperator(BinaryOperator& operation) {
  if (operation.getType()->isVectorTy()) return visitInstruction(operation);
  if (carries_pointer(operation.getType())) build_arithmetic(cast<Operator>(operation), value(&operation));
}

void ConstraintBuilder::visitAtomicCmpXchgInst(AtomicCmpXchgInst& exchange) {
  const Value* fresh = exchange.getNewValOperand();
  if (!carries_pointer(fresh->getType())) return;
  NodeId address = value(exchange.getPointerOperand());
  solver_.add_store(address, value(fresh));
  solver_.add_load(value(&exchange), address);
}

void ConstraintBuilder::visitAtomicRMWInst(AtomicRMWInst& update) {
  if (!carries_pointer(update.getType())) return;
  NodeId address = value(update.getPointerOperand());
  solver_.add_load(value(&update), address);
  if (update.getOperation() == AtomicRMWInst::Xchg) {
    solver_.add_store(address, value(update.getValOperand()));
    return;
  }
  NodeId result = solver_.add_node();
  solver_.add_anywhere(value(&update), result);
  solver_.add_anywhere(value(update.getValOperand()), result);
  solver_.add_store(address, result);
}

void ConstraintBuilder::visitReturnInst(ReturnInst& ret) {
  const Value* result = ret.getReturnValue();
  if (!result || !carries_pointer(result->getType())) return;
  const Function& function = *ret.getFunction();
  if (!wrapper(function).is_wrapper) solver_.add_copy(value(result), returned(function));
}

void ConstraintBuilder::visitLandingPadInst(LandingPadInst& pad) {
  solver_.add_copy(exception_, value(&pad));
}

void ConstraintBuilder::visitResumeInst(ResumeInst& resume) {
  solver_.add_copy(value(resume.getValue()), exception_);
}

void ConstraintBuilder::visitVAArgInst(VAArgInst& argument) {
  if (!carries_pointer(argument.getType())) return;
  solver_.add_copy(solver_.seen_at(variable_arguments(*argument.getFunction()), Place::anywhere()),
                   value(&argument));
}

void ConstraintBuilder::visitInstruction(Instruction& instruction) {
  if (!carries_pointer(instruction.getType())) return;
  NodeId node = value(&instruction);
  for (const Use& operand : instruction.operands())
    if (!isa<BasicBlock>(operand) && carries_pointer(operand->getType()))
      solver_.add_copy(value(operand), node);
}

} // namespace heddle
