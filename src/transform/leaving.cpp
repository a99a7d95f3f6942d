#include "transform/leaving.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle {

unsigned finish_before_leaving(Module& module) {
  static constexpr StringRef names[] = {"exit",     "_exit",      "_Exit",         "quick_exit", "longjmp",
                                        "_longjmp", "siglongjmp", "__longjmp_chk", "execve",     "execv",
                                        "execvp",   "execvpe",    "execl",         "execlp",     "execle"};
  SmallVector<CallBase*, 16> leaving;
  for (StringRef name : names)
    if (Function* function = module.getFunction(name); function && function->isDeclaration())
      for (User* user : function->users())
        if (auto* call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == function)
          leaving.push_back(call);
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
