// Whether one function can become part of another.
#pragma once

namespace llvm {
class Function;
}

namespace heddle {

// The compiler's own conditions, and the same processor for both: a callee that may use more instructions than its caller has
// been chosen by a test at run time.
bool can_be_inlined(const llvm::Function& callee, const llvm::Function& caller);

} // namespace heddle
