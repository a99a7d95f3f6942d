// What reads memory at an address: loads, and calls that read through a pointer they are given, as memcmp and strlen do, and memcpy does
// with what it copies.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class Instruction;
class Value;
} // namespace llvm

namespace heddle {

struct MemoryRead {
  llvm::Instruction* by = nullptr;
  llvm::Value* address = nullptr;
};

// In the order of the block; of a call, one for each of its pointers.
llvm::SmallVector<MemoryRead, 8> reads_of(llvm::BasicBlock& block);
llvm::SmallVector<MemoryRead, 8> reads_of(const llvm::BasicBlock& block);

} // namespace heddle
