// What lookups cost on this machine, measured in the kernel.
#pragma once

#include "specialize/cost.h"

#include "llvm/Support/Error.h"

namespace heddle {

// Loads programs of Heddle's own and runs them for some tens of milliseconds; nothing is attached. Errors: the kernel runs no such programs, or
// the machine was too busy for figures that can be (then those of HostCosts are as good as any).
llvm::Expected<HostCosts> measure_host_costs();

} // namespace heddle
