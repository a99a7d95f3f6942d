// The way back from specialized code to the original, at every point where it is needed.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class AllocaInst;
class Function;
class GlobalVariable;
class Instruction;
class Value;
} // namespace llvm

namespace heddle {

struct Guard {
  llvm::GlobalVariable* variable = nullptr; // 64 bits, changed from outside
  // Code that gives the variable's value as long as what the code was made for holds.
  llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> epoch;
  llvm::function_ref<void(llvm::IRBuilder<>&)> missed =
      nullptr; // code for calls whose check at the entry fails; may be null
};

// Some calls that take the copy although the guard holds.
struct Detour {
  llvm::AllocaInst* taken = nullptr; // a slot of one bit: whether this call does; null: no call does
  llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> wanted; // code that decides, once per call
};

// Gives the function a second, unchanged copy of its body. The entry, and each instruction of `checked`, is preceded by a check
// of the guard, from which the copy goes on at the same point where it fails. The instructions that were there stay those of the
// first body, so that a caller may go on to specialize them.
void add_fallback(llvm::Function& function, const Guard& guard, llvm::ArrayRef<llvm::Instruction*> checked,
                  const Detour& detour = {});

} // namespace heddle
