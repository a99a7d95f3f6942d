// Output that a plan defers: the calls become calls of the runtime's stand-ins (src/runtime/deferred.h).
#pragma once

#include "plan/plan.h"
#include "program/program.h"

#include "llvm/ADT/ArrayRef.h"

namespace heddle {

// Replaces the calls; one that several bodies name is replaced once. `blocks` is the module's numbering, and the
// module as it was numbered: before gates and copies, so that copies of a function have the stand-ins, too. Errors:
// a plan that names a call that is not there or that cannot be kept.
llvm::Error defer_output(llvm::Module& module, llvm::ArrayRef<const BodyPlan*> bodies,
                         const BlockTable& blocks);

// Before each call that ends the program as a crash, what the packet and those before it have kept is made: their
// last words tell what happened. Returns how many calls were inserted.
unsigned make_output_before_aborts(llvm::Module& module);

// Takes both back: the calls are made where they stand.
void make_output_directly(llvm::Module& module);

} // namespace heddle
