#include "analysis/leaving_calls.h"

#include "analysis/external_models.h"
#include "program/modelled.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle {

// What comes of a crash is no output to keep in order, and the runtime sees to what unwinds (src/runtime/unwind.cpp).
static bool crashes_or_unwinds(StringRef name) {
  static constexpr StringRef names[] = {"abort",       "__assert_fail",    "__assert",
                                        "__rte_panic", "__stack_chk_fail", "__fortify_fail",
                                        "__chk_fail",  "pthread_exit"};
  return is_contained(names, name) || name.starts_with("__cxa_") || name.starts_with("_Unwind_") ||
         name.starts_with("_ZSt") || name.starts_with("__clang_");
}

bool leaves_without_return(const CallBase& call) {
  static constexpr StringRef run_another[] = {"execve", "execv",  "execvp", "execvpe",
                                              "execl",  "execlp", "execle"};
  const Function* function = call.getCalledFunction();
  if (!function || !function->isDeclaration() || function->isIntrinsic()) return false;
  StringRef name = function->getName();
  if (is_final_exit(*function, call) || is_contained(run_another, name)) return true;
  return call.doesNotReturn() && !crashes_or_unwinds(name);
}

bool lets_others_run(const CallBase& call) {
  if (leaves_without_return(call)) return true;
  const Function* function = call.getCalledFunction();
  if (function && receives_ahead(function->getName())) return true;
  return waits_for_input(call) && receives_datagrams(*call.getModule());
}

} // namespace heddle
