// Every instruction's debug location replaced by the number of its block.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace heddle {

// Producer of the compile unit that stamp_blocks() makes: how the line table is told from those of objects
// linked in beside it.
inline constexpr llvm::StringRef stamp_producer = "heddle block numbers";

// After this, line N of the module's only line table is block N - 1 (BlockTable), and the module has no other
// debug information. Changes no instruction.
void stamp_blocks(llvm::Module& module);

} // namespace heddle
