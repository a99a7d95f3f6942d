// Reading a stamped program (line_stamp.h) back: which machine instructions belong to which block.
#pragma once

#include "profile/footprint.h"

namespace heddle {

// The footprint of each of the `blocks` blocks in the linked ELF file at `path`. Bytes that the stamped code
// does not account for (padding between functions, code of other objects) belong to no block. Errors:
// unreadable, not an ELF file, no line table of ours, an architecture without a disassembler.
llvm::Expected<FootprintMap> read_footprint(llvm::StringRef path, size_t blocks);

} // namespace heddle
