// match: the calls that the plan names, by block and number. legal: direct calls of a function that can be kept,
// whose result nothing uses or is declared; that the channel allows it is the plan's promise (src/analysis/channels.h).
// profitable: always, where the body is staged. rewrite: another callee of the same type; arguments, debug location
// and unwinding stay. count: one replacement per call.
//
// A stand-in makes the call at once while staging is off, so functions that other code calls as well need no copy.
#include "transform/defer.h"

#include "program/deferrable.h"
#include "transform/site.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

constexpr StringLiteral make_output = "heddle_make_output";

static FunctionCallee runtime_function(Module& module, StringRef name, FunctionType* type) {
  FunctionCallee callee = module.getOrInsertFunction(name, type);
  if (auto* function = dyn_cast<Function>(callee.getCallee()))
    function->setVisibility(GlobalValue::HiddenVisibility);
  return callee;
}

Error defer_output(Module& module, ArrayRef<const BodyPlan*> bodies, const BlockTable& blocks) {
  SetVector<CallBase*> calls;
  for (const BodyPlan* body : bodies)
    for (const DeferredCall& planned : body->deferred) {
      auto* block =
          planned.block < blocks.size() ? const_cast<BasicBlock*>(blocks.block(planned.block)) : nullptr;
      CallBase* call = block ? call_in_block(*block, planned.call) : nullptr;
      if (!call || !is_deferrable(*call) || call->getCalledFunction()->getName() != planned.callee)
        return diagnose("call " + Twine(planned.call) + " of block " + Twine(planned.block) +
                            " is no call of " + planned.callee + " that can be deferred",
                        "the plan does not fit this build: make it again with `heddle plan`", body->body);
      calls.insert(call);
    }
  for (CallBase* call : calls) {
    call->setCalledFunction(runtime_function(module, stand_in_of(*call), call->getFunctionType()));
    forget_conclusions(*call);
    forget_conclusions(*call->getFunction());
  }
  return Error::success();
}

unsigned make_output_before_aborts(Module& module) {
  static constexpr StringRef crash[] = {"abort", "__assert_fail", "__assert", "__rte_panic",
                                        "_ZSt9terminatev"};
  SmallVector<CallBase*, 16> crashes;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && callee->isDeclaration() && is_contained(crash, callee->getName()))
        crashes.push_back(call);
    }
  auto* type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  for (CallBase* call : crashes) {
    IRBuilder<> builder(call);
    builder.CreateCall(runtime_function(module, make_output, type))->setDoesNotThrow();
    forget_conclusions(*call->getFunction());
  }
  return unsigned(crashes.size());
}

void make_output_directly(Module& module) {
  for (const DeferrableFunction& known : deferrable_functions())
    for (StringRef name : {known.stand_in, known.sure})
      if (Function* stand_in = module.getFunction(name)) {
        stand_in->replaceAllUsesWith(
            module.getOrInsertFunction(known.name, stand_in->getFunctionType()).getCallee());
        stand_in->eraseFromParent();
      }
  if (Function* made = module.getFunction(make_output)) {
    while (!made->use_empty())
      cast<CallBase>(made->user_back())->eraseFromParent();
    made->eraseFromParent();
  }
}

} // namespace heddle
