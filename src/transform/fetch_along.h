// Loads that are fetched where packets step aside for another one (docs/hide.md, "Fetched along").
#pragma once

#include "llvm/Support/Error.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace heddle {

// Both are marks (program/expensive.h): the load of the first is to be fetched into that level of cache where packets step aside for the second.
void mark_along(llvm::CallBase& load, llvm::CallBase& at, unsigned into);

// Makes the prefetches, once the functions of each body are one. Errors: an address that is not known there, so the plan does not fit.
llvm::Error fetch_along(llvm::Module& module);

} // namespace heddle
