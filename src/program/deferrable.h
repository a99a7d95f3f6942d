// Calls for output that can be kept with their packet and made later (docs/design.md, "Deferred output").
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle {

struct DeferrableFunction {
  llvm::StringRef name;
  llvm::StringRef stand_in; // the runtime's function of the same signature (src/runtime/deferred.h)
  llvm::StringRef
      sure{}; // likewise, where the result is declared to be success (declared_output.h); empty: there is none
};

llvm::ArrayRef<DeferrableFunction> deferrable_functions();

// The entry for the function that `call` calls directly, if it is an external one of the table; else null.
const DeferrableFunction* deferrable_function(const llvm::CallBase& call);

// A call of such a function whose result nothing uses, or is declared to be success.
bool is_deferrable(const llvm::CallBase& call);
// The runtime's function for a call that is deferrable.
llvm::StringRef stand_in_of(const llvm::CallBase& call);

// How a plan names a call: which of its block's calls it is, intrinsics aside, from 0; and back, null if there is
// none.
unsigned number_in_block(const llvm::CallBase& call);
llvm::CallBase* call_in_block(llvm::BasicBlock& block, unsigned number);

} // namespace heddle
