// Calls: intrinsics, direct and indirect targets, callbacks, unknown functions, inline assembly.
#include "analysis/constraints.h"

#include "analysis/assembly.h"
#include "program/own_objects.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle {

NodeId ConstraintBuilder::returned(const Function& function) {
  auto [entry, fresh] = returned_.try_emplace(&function, 0);
  if (fresh) entry->second = solver_.add_node();
  return entry->second;
}

ObjectId ConstraintBuilder::variable_arguments(const Function& function) {
  auto [entry, fresh] = variable_arguments_.try_emplace(&function, 0);
  if (fresh) {
    ObjectId object = new_object(ObjectKind::Stack, &function, "variable arguments");
    variable_arguments_[&function] = object;
    return object;
  }
  return entry->second;
}

void ConstraintBuilder::visitCallBase(CallBase& call) {
  if (call.isInlineAsm()) return add_inline_assembly(call);
  const Value* callee = call.getCalledOperand()->stripPointerCastsAndAliases();
  auto* function = dyn_cast<Function>(callee);
  if (!function) return add_indirect_call(call);
  if (function->isIntrinsic() && add_intrinsic(call, *function)) return;
  add_target(call, *function);
}

void ConstraintBuilder::add_target(const CallBase& call, const Function& function) {
  if (const ExternalModel* model = model_of(function)) {
    externals_[&call].insert(&function);
    return add_model(call, function, *model);
  }
  if (function.isDeclaration()) {
    externals_[&call].insert(&function);
    return add_unknown_call(call, &function);
  }
  if (gives_own_object(function) && !options_.own_objects) // nobody has any: it gives its argument back
    return solver_.add_copy(value(call.getArgOperand(0)), value(&call));
  targets_[&call].insert(&function);
  bind(call, function);
}

void ConstraintBuilder::bind_argument(const Argument& parameter, NodeId actual) {
  if (!carries_pointer(parameter.getType())) return;
  if (parameter.hasByValAttr())
    solver_.add_memory_copy(value(&parameter), actual,
                            layout_.getTypeAllocSize(parameter.getParamByValType()).getFixedValue());
  else
    solver_.add_copy(actual, value(&parameter));
}

void ConstraintBuilder::bind(const CallBase& call, const Function& function) {
  const bool own = options_.own_objects && gives_own_object(function); // the argument is not given back
  for (unsigned i = 0; i < call.arg_size() && !own; ++i) {
    const Value* actual = call.getArgOperand(i);
    if (!carries_pointer(actual->getType())) continue;
    if (i < function.arg_size())
      bind_argument(*function.getArg(i), value(actual));
    else if (function.isVarArg())
      solver_.add_copy(value(actual), solver_.stored_at(variable_arguments(function), Place::anywhere()));
  }
  if (!carries_pointer(call.getType())) return;
  bool direct = call.getCalledOperand()->stripPointerCastsAndAliases() == &function;
  if (is_named_allocator(function)) {
    for (ObjectId object : fresh_objects(call))
      solver_.add_address(value(&call), object, Place::at(0));
    return;
  }
  if (wrapper(function).is_wrapper) {
    if (!own) add_passed(call, function);
    if (direct)
      add_wrapper_result(call, function);
    else
      add_generic_result(function, value(&call));
  }
  solver_.add_copy(returned(function), value(&call));
}

// --- Indirect calls -------------------------------------------------------------------------------------

// Integers of other widths pass in practice (int for long), other differences do not.
static bool agree(Type* a, Type* b) {
  return a == b || (a->isIntegerTy() && b->isIntegerTy());
}

// A call through a type with other numbers or kinds of arguments is undefined, so it does not happen.
bool may_call(const CallBase& call, const Function& function) {
  const FunctionType* type = function.getFunctionType();
  if (call.arg_size() < type->getNumParams()) return false;
  if (call.arg_size() > type->getNumParams() && !type->isVarArg()) return false;
  for (unsigned i = 0; i < type->getNumParams(); ++i)
    if (!agree(call.getArgOperand(i)->getType(), type->getParamType(i))) return false;
  return call.getType()->isVoidTy() || call.use_empty() || agree(call.getType(), type->getReturnType());
}

void ConstraintBuilder::add_indirect_call(const CallBase& call) {
  targets_[&call];
  solver_.add_listener(value(call.getCalledOperand()), [this, &call](const Location& location) {
    const MemoryObject& object = solver_.objects()[location.object];
    if (object.kind == ObjectKind::Unknown) return add_unknown_call(call, nullptr);
    if (object.kind != ObjectKind::Function) return;
    const Function& function = *cast<Function>(object.site);
    if (!function.isIntrinsic() && may_call(call, function)) add_target(call, function);
  });
}

// `callee` is called during `call` with these arguments.
void ConstraintBuilder::call_back(const CallBase& call, NodeId callee, std::vector<NodeId> actuals) {
  solver_.add_listener(callee, [this, &call, actuals = std::move(actuals)](const Location& location) {
    const MemoryObject& object = solver_.objects()[location.object];
    if (object.kind != ObjectKind::Function) return;
    const Function& function = *cast<Function>(object.site);
    if (function.isDeclaration()) {
      externals_[&call].insert(&function);
      for (NodeId actual : actuals)
        solver_.add_copy(actual, outside_);
      return;
    }
    targets_[&call].insert(&function);
    bind_callback(function, actuals);
  });
}

void ConstraintBuilder::bind_callback(const Function& function, ArrayRef<NodeId> actuals) {
  for (unsigned i = 0; i < function.arg_size() && i < actuals.size(); ++i)
    bind_argument(*function.getArg(i), actuals[i]);
}

// --- What cannot be looked into ---------------------------------------------------------------------------

void ConstraintBuilder::add_unknown_call(const CallBase& call, const Function* function) {
  if (function && function->doesNotAccessMemory() && function->doesNotThrow() &&
      !carries_pointer(call.getType()))
    return;
  calls_outside_.insert(&call);
  if (reported_.insert(function).second) {
    std::string name = function ? function->getName().str() : "function pointer from outside the program";
    report_.unknown_externals.push_back({name, source_of(&call), &call});
  }
  for (const Use& argument : call.args())
    if (carries_pointer(argument->getType())) solver_.add_copy(value(argument), outside_);
  if (carries_pointer(call.getType())) solver_.add_copy(anything_, value(&call));
}

// Operands that name memory ("m") give access to just that; the address of anything else escapes when the
// assembly may touch memory that is not among its operands.
void ConstraintBuilder::add_inline_assembly(const CallBase& call) {
  auto* assembly = cast<InlineAsm>(call.getCalledOperand());
  StringRef constraints = assembly->getConstraintString();
  bool harmless = is_harmless_assembly(assembly->getAsmString());
  bool memory = constraints.contains("~{memory}") && !harmless;
  if (!harmless)
    report_.inline_assembly.push_back(
        {"inline assembly \"" + assembly->getAsmString() + "\"", source_of(&call), &call});
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Value* operand = call.getArgOperand(i);
    if (!carries_pointer(operand->getType())) continue;
    if (call.paramHasAttr(i, Attribute::ElementType)) {
      solver_.add_load(outside_, value(operand));
      solver_.add_store(value(operand), anything_);
      continue;
    }
    if (memory) solver_.add_copy(value(operand), outside_);
    if (carries_pointer(call.getType())) solver_.add_anywhere(value(operand), value(&call));
  }
  if (carries_pointer(call.getType()) && memory) solver_.add_copy(anything_, value(&call));
}

// --- Intrinsics ------------------------------------------------------------------------------------------

// False: to be treated as an unknown function.
bool ConstraintBuilder::add_intrinsic(const CallBase& call, const Function& function) {
  switch (function.getIntrinsicID()) {
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove: {
    auto* length = dyn_cast<ConstantInt>(call.getArgOperand(2));
    solver_.add_memory_copy(value(call.getArgOperand(0)), value(call.getArgOperand(1)),
                            length ? length->getZExtValue() : unknown_size);
    return true;
  }
  case Intrinsic::vastart: {
    NodeId arguments = solver_.add_node();
    solver_.add_address(arguments, variable_arguments(*call.getFunction()), Place::anywhere());
    for (int64_t bytes : {0, 8, 16})
      solver_.add_store(value(call.getArgOperand(0)), arguments, bytes);
    return true;
  }
  case Intrinsic::vacopy:
    solver_.add_memory_copy(value(call.getArgOperand(0)), value(call.getArgOperand(1)), 24);
    return true;
  case Intrinsic::ptrmask: {
    auto* mask = dyn_cast<ConstantInt>(call.getArgOperand(1));
    build_mask(value(call.getArgOperand(0)), value(&call), mask ? mask->getSExtValue() : 0);
    return true;
  }
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather: {
    NodeId anywhere = solver_.add_node();
    solver_.add_anywhere(value(call.getArgOperand(0)), anywhere);
    if (carries_pointer(call.getType())) solver_.add_load(value(&call), anywhere);
    return true;
  }
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter: {
    NodeId anywhere = solver_.add_node();
    solver_.add_anywhere(value(call.getArgOperand(1)), anywhere);
    solver_.add_store(anywhere, value(call.getArgOperand(0)));
    return true;
  }
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
    return true; // hashes and byte order, no pointers
  default:
    // All others give at most what they were given: annotations, launder, vector reductions, minima.
    if (carries_pointer(call.getType()))
      for (const Use& argument : call.args())
        if (carries_pointer(argument->getType())) solver_.add_copy(value(argument), value(&call));
    return true;
  }
}

} // namespace heddle
