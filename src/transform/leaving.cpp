#include "transform/leaving.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

namespace {

// What comes of a crash is no output to keep in order, and the runtime sees to what unwinds (src/runtime/unwind.cpp).
bool crashes_or_unwinds(StringRef name) {
  static constexpr StringRef names[] = {"abort",       "__assert_fail",    "__assert",
                                        "__rte_panic", "__stack_chk_fail", "__fortify_fail",
                                        "__chk_fail",  "pthread_exit"};
  return is_contained(names, name) || name.starts_with("__cxa_") || name.starts_with("_Unwind_") ||
         name.starts_with("_ZSt") || name.starts_with("__clang_");
}

bool leaves(const CallBase& call) {
  static constexpr StringRef run_another[] = {"execve", "execv",  "execvp", "execvpe",
                                              "execl",  "execlp", "execle"};
  const Function* function = call.getCalledFunction();
  if (!function || !function->isDeclaration() || function->isIntrinsic()) return false;
  StringRef name = function->getName();
  return is_contained(run_another, name) || (call.doesNotReturn() && !crashes_or_unwinds(name));
}

} // namespace

unsigned finish_before_leaving(Module& module) {
  SmallVector<CallBase*, 16> leaving;
  for (Function& function : module)
    for (BasicBlock& block : function)
      for (Instruction& instruction : block)
        if (auto* call = dyn_cast<CallBase>(&instruction); call && leaves(*call)) leaving.push_back(call);
  if (leaving.empty()) return 0;
  FunctionCallee alone = module.getOrInsertFunction("heddle_alone", Type::getVoidTy(module.getContext()));
  cast<Function>(alone.getCallee())->setVisibility(GlobalValue::HiddenVisibility);
  for (CallBase* call : leaving) {
    IRBuilder<> builder(call);
    builder.CreateCall(alone);
  }
  return unsigned(leaving.size());
}

} // namespace heddle
