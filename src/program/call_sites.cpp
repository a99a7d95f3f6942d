#include "program/call_sites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle {

std::optional<NamedPlace> named_place_of(const Value* pointer, const DataLayout& layout) {
  if (auto* gep = dyn_cast<GEPOperator>(pointer)) {
    auto* type = dyn_cast<StructType>(gep->getSourceElementType());
    if (!type || gep->getNumIndices() < 2) return std::nullopt;
    // The first index only says which object.
    APInt offset(64, 0);
    SmallVector<Value*, 4> indices(gep->idx_begin(), gep->idx_end());
    if (!all_of(drop_begin(indices), [](Value* index) { return isa<ConstantInt>(index); }))
      return std::nullopt;
    indices[0] = ConstantInt::get(Type::getInt64Ty(gep->getContext()), 0);
    return NamedPlace{type, layout.getIndexedOffsetInType(type, indices)};
  }
  if (isa<GlobalVariable>(pointer) || isa<AllocaInst>(pointer)) return NamedPlace{pointer, 0};
  return std::nullopt;
}

CallSites::CallSites(Module& module) : layout_(module.getDataLayout()) {
  for (GlobalVariable& variable : module.globals())
    if (variable.hasInitializer()) read_initialiser(*variable.getInitializer(), NamedPlace{&variable, 0});
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      read_instruction(instruction);
  // Now that the fields are known, the calls through them.
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction))
        for (Function* callee : callees(*call))
          callers_[callee].push_back(call);
}

void CallSites::read_initialiser(const Constant& value, NamedPlace place) {
  if (auto* function = dyn_cast<Function>(value.stripPointerCasts())) {
    auto& kept = kept_[place];
    if (!is_contained(kept, function)) kept.push_back(const_cast<Function*>(function));
    return;
  }
  if (auto* record = dyn_cast<ConstantStruct>(&value)) {
    const StructLayout* fields = layout_.getStructLayout(record->getType());
    for (unsigned i = 0; i < record->getNumOperands(); ++i)
      read_initialiser(*record->getOperand(i), NamedPlace{record->getType(), fields->getElementOffset(i)});
  } else if (auto* array = dyn_cast<ConstantArray>(&value)) {
    for (const Use& element : array->operands())
      read_initialiser(*cast<Constant>(element.get()), place);
  }
}

void CallSites::read_instruction(Instruction& instruction) {
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (auto place = named_place_of(load->getPointerOperand(), layout_)) loads_[*place].push_back(load);
  } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    auto* function = dyn_cast<Function>(store->getValueOperand()->stripPointerCasts());
    auto place = named_place_of(store->getPointerOperand(), layout_);
    if (function && place && !is_contained(kept_[*place], function)) kept_[*place].push_back(function);
  }
}

ArrayRef<CallBase*> CallSites::callers(const Function& function) const {
  auto found = callers_.find(&function);
  return found == callers_.end() ? ArrayRef<CallBase*>() : ArrayRef<CallBase*>(found->second);
}

ArrayRef<LoadInst*> CallSites::loads(NamedPlace place) const {
  auto found = loads_.find(place);
  return found == loads_.end() ? ArrayRef<LoadInst*>() : ArrayRef<LoadInst*>(found->second);
}

SmallVector<Function*, 4> CallSites::callees(const CallBase& call) const {
  Value* callee = call.getCalledOperand()->stripPointerCasts();
  if (auto* function = dyn_cast<Function>(callee)) return {function};
  auto* load = dyn_cast<LoadInst>(callee);
  auto place = load ? named_place_of(load->getPointerOperand(), layout_) : std::nullopt;
  auto found = place ? kept_.find(*place) : kept_.end();
  if (found == kept_.end()) return {};
  SmallVector<Function*, 4> result;
  for (Function* function : found->second)
    if (function->arg_size() == call.arg_size() || function->isVarArg()) result.push_back(function);
  return result;
}

SmallVector<Function*, 4> CallSites::functions_of(Value* value) const {
  SmallVector<Function*, 4> result;
  SmallVector<Value*, 8> work{value};
  SmallPtrSet<Value*, 16> seen;
  while (!work.empty()) {
    Value* next = work.pop_back_val()->stripPointerCasts();
    if (!seen.insert(next).second) continue;
    if (auto* function = dyn_cast<Function>(next)) {
      result.push_back(function);
    } else if (auto* phi = dyn_cast<PHINode>(next)) {
      append_range(work, phi->incoming_values());
    } else if (auto* select = dyn_cast<SelectInst>(next)) {
      work.append({select->getTrueValue(), select->getFalseValue()});
    } else if (auto* argument = dyn_cast<Argument>(next)) {
      for (CallBase* call : callers(*argument->getParent()))
        if (argument->getArgNo() < call->arg_size())
          work.push_back(call->getArgOperand(argument->getArgNo()));
    } else if (auto* load = dyn_cast<LoadInst>(next)) {
      auto place = named_place_of(load->getPointerOperand(), layout_);
      if (auto found = place ? kept_.find(*place) : kept_.end(); found != kept_.end())
        result.append(found->second);
    }
  }
  return result;
}

} // namespace heddle
