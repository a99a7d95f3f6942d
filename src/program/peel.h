// One iteration of a loop, copied in front of it.
#pragma once

#include "llvm/IR/BasicBlock.h"

#include <functional>

namespace llvm {
class Loop;
}

namespace heddle {

// Called with each block that was copied and its copy.
using CopiedBlock = std::function<void(const llvm::BasicBlock& block, const llvm::BasicBlock& copy)>;

// Does nothing in the loop forbid a copy?
bool can_peel(const llvm::Loop& loop);

// Peels the first iteration of the loop with this header. Puts the loop into LLVM's simple form first (a preheader,
// one latch, exits of its own), which may add blocks that only jump. False if it cannot be peeled.
bool peel_once(llvm::Function& function, llvm::BasicBlock& header, const CopiedBlock& copied);

} // namespace heddle
