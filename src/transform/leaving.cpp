#include "transform/leaving.h"

#include "analysis/external_models.h"
#include "transform/gates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
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
  if (is_final_exit(*function, call) || is_contained(run_another, name)) return true;
  return call.doesNotReturn() && !crashes_or_unwinds(name);
}

} // namespace

unsigned finish_before_leaving(Module& module) {
  SmallVector<CallBase*, 16> leaving;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call && leaves(*call)) leaving.push_back(call);
  for (CallBase* call : leaving)
    insert_gate(*call);
  return unsigned(leaving.size());
}

} // namespace heddle
