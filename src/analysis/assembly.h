// Inline assembly that touches no memory, whatever its constraints say.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace heddle {

// Prefetches, pauses, fences, nothing at all: compiler barriers and spin-wait hints.
bool is_harmless_assembly(llvm::StringRef text);

} // namespace heddle
