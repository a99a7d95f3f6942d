// What the runtime has to know of the staged bodies, and of the order in which packets pass their stages (src/runtime/keys.h).
#pragma once

#include "transform/staging.h"

namespace heddle {

// Keeps the claims of the keys that the plan uses, and drops the others. Defines the tables; nothing where no body is staged.
void define_schedules(llvm::Module& module, const Plan& plan, Interleaved interleaved);

} // namespace heddle
