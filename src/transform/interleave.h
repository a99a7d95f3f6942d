// Interleaving in one function: all packets of a batch run in one frame of the stack, and step aside in a few instructions.
#pragma once

#include "plan/plan.h"
#include "transform/site.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace heddle {

inline constexpr llvm::StringLiteral wait_function = "heddle.wait";

// In place of a site (site.h), in a body that is interleaved: where a packet waits to enter `stage`. What comes before an ordered
// stage is a wait; so is what comes before an expensive load that is hidden. Other sites of such bodies are no places to wait.
void insert_wait(llvm::BasicBlock& from, llvm::BasicBlock& to, unsigned stage, const SiteKeeps& keeps);

// Likewise, in a loop that packets are to run side by side in so many lanes (lanes.h).
void insert_lanes(llvm::BasicBlock& from, llvm::BasicBlock& to, unsigned stage, unsigned lanes);

// Turns each interleaved body of the plan, its waits in place and its contexts joined (frames.h), into a function that runs all
// packets of a batch, and its caller's call of the runtime into a call of that. The functions made are returned. Errors: a
// body that cannot be: it should not have been planned (analysis/interleavable.h).
llvm::Expected<std::vector<llvm::Function*>> interleave(llvm::Module& module, const Plan& plan);

} // namespace heddle
