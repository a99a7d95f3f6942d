// `heddle cc` and `heddle c++`: the compiler, and the program's bitcode kept on the way.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

// Does what clang (clang++ if `cxx`) does with `args` (the compiler's own name not among them), and makes
// every object and every linked file carry bitcode. Normally replaces this process by clang and does not
// return; returns an exit status if clang cannot be started.
int run_compiler(bool cxx, llvm::ArrayRef<const char*> args);

// The path of clang-19 or clang++-19: $HEDDLE_CLANG / $HEDDLE_CLANGXX, then PATH, then LLVM's own folder.
llvm::Expected<std::string> find_clang(bool cxx);

} // namespace heddle
