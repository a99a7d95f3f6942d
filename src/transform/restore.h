// Packet loops that the plan leaves alone, put back into the functions that they were taken from.
#pragma once

#include "plan/plan.h"

#include <vector>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace heddle {

// The functions that hold such a loop again.
std::vector<llvm::Function*> restore_loops(llvm::Module& module, const Plan& plan);

} // namespace heddle
