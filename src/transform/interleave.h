// Interleaving in one function: all packets of a batch run in one frame of the stack, and step aside in a few instructions.
#pragma once

#include "plan/plan.h"

#include "llvm/Support/Error.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace heddle {

// Turns each interleaved body of the plan, its waits in place and its contexts joined (frames.h), into a function that runs all
// packets of a batch, and its caller's call of the runtime into a call of that. The functions made are returned. Errors: a
// body that cannot be: it should not have been planned (analysis/interleavable.h).
llvm::Expected<std::vector<llvm::Function*>> interleave(llvm::Module& module, const Plan& plan);

} // namespace heddle
