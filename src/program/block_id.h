// How every step names a basic block. Apart from the module that it counts in, so that traces, graphs and plans, which
// only pass it on, need none of LLVM's IR.
#pragma once

#include <cstdint>

namespace heddle {

// The n-th block of the prepared module, over every defined function in module order (BlockTable).
using BlockId = uint32_t;

} // namespace heddle
