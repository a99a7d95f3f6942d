// Values that are the same for all packets of a run: a table's address and its mask, loaded once more for each packet.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
} // namespace llvm

namespace heddle {

using UniformValues = llvm::SmallPtrSet<const llvm::Instruction*, 16>;

// Of the blocks that every packet of a run passes anew; `entry` leads to them and is passed once.
UniformValues uniform_values(llvm::Function& run, const llvm::BasicBlock& entry,
                             llvm::ArrayRef<llvm::BasicBlock*> blocks);

} // namespace heddle
