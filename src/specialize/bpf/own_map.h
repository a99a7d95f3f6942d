// Maps of Heddle's own that versions use. The kernel looks the descriptor up when a version is loaded, and keeps the map for as long
// as the version lives.
#pragma once

#include "support/descriptor.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Error.h"

namespace heddle {

// A map of one value of so many bytes, filled through memory.
llvm::Expected<Descriptor> make_own_map(const char* name, size_t bytes, llvm::function_ref<void(char*)> fill);

// The map of this process's descriptor `fd` as helpers take it, and the address of its one value.
llvm::Value* own_map(llvm::IRBuilder<>& builder, int fd);
llvm::Value* own_value(llvm::IRBuilder<>& builder, int fd);

} // namespace heddle
