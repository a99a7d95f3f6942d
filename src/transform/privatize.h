// Copies of scratch variables: each packet in flight finds its own.
#pragma once

#include "plan/plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Error.h"

namespace heddle {

// Makes code that uses the scratch variables of `bodies` use the running packet's copies, where there are any. Adds
// instructions, no blocks. Errors: the plan names a variable or field that is not there or has another size.
llvm::Error privatize_scratch(llvm::Module& module, llvm::ArrayRef<const BodyPlan*> bodies);

// The address of the variable itself, at the builder's place in the body's function. Errors: as above.
llvm::Expected<llvm::Value*> scratch_address(llvm::IRBuilder<>& builder, const BodyPlan& body,
                                             const ScratchVariable& variable);

} // namespace heddle
