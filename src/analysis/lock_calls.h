// Functions that take a lock or begin a read-side section, and those that end it.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle {

// What a call of the function does, by its name.
enum class LockUse : uint8_t { None, Takes, Releases };
LockUse lock_use(const llvm::Function& function);

} // namespace heddle
