// Copies of scratch variables: each packet in flight finds its own.
#pragma once

#include "plan/plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace heddle {

// Makes code that uses the scratch variables of `bodies` use the running packet's copies, where there are any. Adds
// instructions, no blocks. Errors: the plan names a variable or field that is not there or has another size.
llvm::Error privatize_scratch(llvm::Module& module, llvm::ArrayRef<const BodyPlan*> bodies);

} // namespace heddle
