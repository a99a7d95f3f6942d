// Calls that do not come back: before each, the transformation lets all earlier packets end (transform/leaving.h).
#pragma once

#include "llvm/IR/InstrTypes.h"

namespace heddle {

// exit, longjmp, execve and the like. Not crashes, and not what unwinds the stack.
bool leaves_without_return(const llvm::CallBase& call);

// A call at which packets before the one that makes it may run: such a one, or where the packet may wait for input
// (transform/waiting.h, src/runtime/receive.cpp).
bool lets_others_run(const llvm::CallBase& call);

} // namespace heddle
