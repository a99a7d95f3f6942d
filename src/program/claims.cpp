#include "program/claims.h"

#include "program/modelled.h"
#include "program/program.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

namespace {

constexpr StringLiteral claim_function = "heddle_claim";
constexpr StringLiteral annotation = "heddle_key",
                        fresh_annotation = "heddle_new_key"; // include/heddle/heddle.h
constexpr unsigned annotation_number = 0;

constexpr unsigned not_fresh = 0, declared_fresh = 1, filled_at_once = 2; // src/runtime/runtime.h

// void heddle_claim(uint32_t key, const void* value, uint32_t fresh): src/runtime/runtime.h.
void claim_before(Instruction& before, Value& value, unsigned key, unsigned fresh) {
  IRBuilder<> builder(&before);
  if (!before.getDebugLoc())
    if (DISubprogram* function = before.getFunction()->getSubprogram())
      builder.SetCurrentDebugLocation(DILocation::get(before.getContext(), function->getLine(), 0, function));
  Type *word = builder.getInt32Ty(), *pointer = builder.getPtrTy();
  FunctionCallee claim =
      before.getModule()->getOrInsertFunction(claim_function, builder.getVoidTy(), word, pointer, word);
  auto* declared = cast<Function>(claim.getCallee());
  declared->setVisibility(GlobalValue::HiddenVisibility);
  declared->setDoesNotThrow();
  Value* record = &value;
  if (record->getType()->isIntegerTy()) { // not null, and apart from others in more than the low bits
    Value* number = builder.CreateZExtOrTrunc(record, builder.getInt64Ty());
    number = builder.CreateOr(builder.CreateShl(number, 3), uint64_t(1) << 62);
    record = builder.CreateIntToPtr(number, pointer);
  }
  CallInst* call = builder.CreateCall(claim, {builder.getInt32(key), record, builder.getInt32(fresh)});
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::NoMerge); // with another key's, the number would be no constant
}

bool can_be_key(const Value& value) {
  return value.getType()->isPointerTy() || value.getType()->isIntegerTy();
}

// Functions of the program by the name that the user gives.
SmallVector<Function*, 2> functions_called(Module& module, StringRef name) {
  SmallVector<Function*, 2> result;
  for (Function& function : module)
    if (!function.isDeclaration() && is_called(function, name)) result.push_back(&function);
  return result;
}

struct Inserter {
  Module& module;
  const Declarations& declarations;
  const Declaration& declaration;

  Error fail(const Twine& what, const Twine& hint, size_t name) const {
    return diagnose(what, hint, declarations.place(declaration, name));
  }

  Error insert(StringRef key, bool fresh, size_t name) const {
    auto [called, rest] = key.split('(');
    StringRef variable = rest.drop_back(1);
    SmallVector<Function*, 2> functions = functions_called(module, called);
    if (functions.empty()) return Error::success(); // nothing calls it
    unsigned places = 0;
    for (Function* function : functions)
      places +=
          variable.empty() ? claim_results(*function, fresh) : claim_variable(*function, variable, fresh);
    if (places) return Error::success();
    if (variable.empty())
      return fail("'" + called + "' returns nothing that could be a key", "a key is a pointer or a number",
                  name);
    return fail("'" + called + "' has no variable '" + variable + "' that could be a key",
                "a key is a pointer or a number, by its name in the source; -g0 leaves no names", name);
  }

  unsigned number() const { return claim_number(declarations, declaration); }

  unsigned claim_results(Function& function, bool fresh) const {
    unsigned places = 0;
    for (BasicBlock& block : function) {
      auto* ret = dyn_cast<ReturnInst>(block.getTerminator());
      Value* value = ret ? ret->getReturnValue() : nullptr;
      if (!value || !can_be_key(*value) || block.getTerminatingMustTailCall()) continue;
      claim_before(*ret, *value, number(), fresh ? declared_fresh : not_fresh);
      ++places;
    }
    return places;
  }

  // Where the variable gets a value: debug records say so, parameters among them.
  unsigned claim_variable(Function& function, StringRef variable, bool fresh) const {
    SmallVector<std::pair<Instruction*, Value*>, 4> found;
    for (Instruction& instruction : instructions(function))
      for (DbgVariableRecord& record : filterDbgVars(instruction.getDbgRecordRange())) {
        if (record.getVariable()->getName() != variable || record.getDebugLoc()->getInlinedAt()) continue;
        Value* value = record.getNumVariableLocationOps() == 1 ? record.getVariableLocationOp(0) : nullptr;
        if (!value || isa<UndefValue>(value) || !can_be_key(*value) || record.isAddressOfVariable() ||
            record.getExpression()->getNumElements() != 0)
          continue;
        found.push_back({&instruction, value});
      }
    for (auto [before, value] : found)
      claim_before(*behind_phis(before), *value, number(), fresh ? declared_fresh : not_fresh);
    return unsigned(found.size());
  }

  static Instruction* behind_phis(Instruction* at) {
    return isa<PHINode>(at) || at->isEHPad() ? &*at->getParent()->getFirstInsertionPt() : at;
  }
};

// HEDDLE_KEY(record) is a call of a function of the header's, which does nothing.
void claim_annotated(Module& module) {
  SmallVector<CallInst*, 8> calls;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallInst>(&instruction);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && call->arg_size() == 1 &&
          is_contained({annotation, fresh_annotation}, source_name(*callee)))
        calls.push_back(call);
    }
  for (CallInst* call : calls) {
    const bool fresh = source_name(*call->getCalledFunction()) == fresh_annotation;
    claim_before(*call, *call->getArgOperand(0), annotation_number, fresh ? declared_fresh : not_fresh);
    call->eraseFromParent();
  }
}

template <typename Visit> void for_each_claim(const Module& module, Visit visit) {
  const Function* claim = module.getFunction(claim_function);
  if (!claim) return;
  for (const User* user : claim->users())
    if (const auto* call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == claim) visit(*call);
}

Claim read_claim(const CallBase& call) {
  auto number = [&](unsigned argument) {
    return unsigned(cast<ConstantInt>(call.getArgOperand(argument))->getZExtValue());
  };
  return {&call, number(0), number(2) != not_fresh, number(2) == declared_fresh};
}

} // namespace

Error insert_claims(Module& module, const Declarations& declarations) {
  claim_annotated(module);
  for (const Declaration& declaration : declarations.all) {
    if (declaration.kind != "keyed" || declaration.names.front() == annotated_key) continue;
    const Inserter inserter{module, declarations, declaration};
    for (size_t i = 0; i != declaration.names.size(); ++i)
      if (Error error = inserter.insert(declaration.names[i], false, i)) return error;
    for (size_t i = 0; i != declaration.fresh.size(); ++i)
      if (Error error = inserter.insert(declaration.fresh[i], true, declaration.names.size() + i))
        return error;
  }
  return Error::success();
}

Declarations with_annotations(Declarations declarations, const Module& module) {
  bool annotated = false;
  for_each_claim(module,
                 [&](const CallBase& call) { annotated |= read_claim(call).key == annotation_number; });
  if (!annotated) return declarations;
  Declaration added;
  added.kind = "keyed";
  added.names.push_back(annotated_key.str());
  added.why = "annotated in the program's source";
  declarations.all.push_back(std::move(added));
  return declarations;
}

unsigned claim_number(const Declarations& declarations, const Declaration& declaration) {
  if (declaration.names.front() == annotated_key) return annotation_number;
  unsigned number = annotation_number;
  for (const Declaration& other : declarations.all) {
    number += other.kind == "keyed" && other.names.front() != annotated_key;
    if (other.names == declaration.names && other.kind == declaration.kind) break;
  }
  return number;
}

bool can_be_claimed(const Instruction& value) {
  return value.getType()->isPointerTy() && !value.isTerminator() && !isa<AllocaInst>(value);
}

const Instruction& place_of_claim(const Instruction& value) {
  if (isa<PHINode>(value)) return *value.getParent()->getFirstNonPHIOrDbg();
  const BasicBlock* behind = value.getParent()->getSingleSuccessor();
  const bool ends_block = ending_call(*value.getParent()) == &value; // and is to go on doing so
  return ends_block && behind && behind->getSinglePredecessor() ? *behind->getFirstNonPHIOrDbg()
                                                                : *value.getNextNonDebugInstruction();
}

void claim_value(Instruction& value, unsigned key, bool fresh) {
  auto& before = const_cast<Instruction&>(place_of_claim(value));
  claim_before(before, value, key, fresh ? filled_at_once : not_fresh);
  before.getParent()->splitBasicBlock(before.getIterator());
}

unsigned next_claim_number(const Module& module) {
  unsigned next = annotation_number + 1;
  for_each_claim(module, [&](const CallBase& call) { next = std::max(next, read_claim(call).key + 1); });
  return next;
}

Claim claim_of(const BasicBlock& block) {
  const CallBase* call = ending_call(block);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || callee->getName() != claim_function) return {};
  return read_claim(*call);
}

const Value& claimed_value(const Claim& claim) {
  return *claim.call->getArgOperand(1);
}

void drop_claims(Module& module, ArrayRef<unsigned> used) {
  SmallVector<const CallBase*, 16> dropped;
  for_each_claim(module, [&](const CallBase& call) {
    if (!is_contained(used, read_claim(call).key)) dropped.push_back(&call);
  });
  for (const CallBase* call : dropped)
    const_cast<CallBase*>(call)->eraseFromParent();
  if (Function* claim = module.getFunction(claim_function); claim && claim->use_empty())
    claim->eraseFromParent();
}

} // namespace heddle
