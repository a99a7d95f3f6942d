// Calls that do not come back: before each, the transformation lets all earlier packets end (transform/leaving.h).
#pragma once

#include "llvm/IR/InstrTypes.h"

namespace heddle {

// exit, longjmp, execve and the like. Not crashes, and not what unwinds the stack.
bool leaves_without_return(const llvm::CallBase& call);

} // namespace heddle
