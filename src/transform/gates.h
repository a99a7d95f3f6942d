// Gates: where a packet enters rare code, it becomes the only one that runs (src/runtime/alone.cpp).
#pragma once

#include "program/program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace heddle {

// Before rare code, or before the program ends: the latter works in signal handlers, too (src/runtime/signals.cpp).
enum class Gate { RareCode, Leaving };
void insert_gate(llvm::Instruction& before, Gate kind);

// Puts a gate at the beginning of each of the blocks; `blocks` is the module's numbering. Before anything else is
// done to the module, so that copies of a function have their gates, too. Errors: a block that is not there or
// that has no room for a call.
llvm::Error insert_gates(llvm::Module& module, llvm::ArrayRef<BlockId> gates, const BlockTable& blocks);

} // namespace heddle
