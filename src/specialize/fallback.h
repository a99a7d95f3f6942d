// The way back from specialized code to the original, at every point where it is needed.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace llvm {
class Function;
class GlobalVariable;
class Instruction;
} // namespace llvm

namespace heddle {

struct Guard {
  llvm::GlobalVariable* variable = nullptr; // 64 bits, changed from outside
  uint64_t epoch = 0;                       // its value as long as what the code was made for holds
};

// Gives the function a second, unchanged copy of its body. The entry, and each instruction of `checked`, is preceded by a check
// of the guard, from which the copy goes on at the same point where it fails. The instructions that were there stay those of the
// first body, so that a caller may go on to specialize them.
void add_fallback(llvm::Function& function, const Guard& guard, llvm::ArrayRef<llvm::Instruction*> checked);

} // namespace heddle
