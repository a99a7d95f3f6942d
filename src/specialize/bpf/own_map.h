// Maps of Heddle's own in a version's code.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle {

// The map of this process's descriptor `fd`, as helpers take it. The kernel looks the descriptor up when the version is loaded, and
// keeps the map for as long as the version lives.
llvm::Value* own_map(llvm::IRBuilder<>& builder, int fd);

} // namespace heddle
