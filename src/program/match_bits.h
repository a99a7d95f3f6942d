// Slots of a bucket compared with a key, as bits: one comparison of all of them.
#pragma once

namespace llvm {
class Function;
class TargetTransformInfo;
} // namespace llvm

namespace heddle {

// Makes vectors of them where that takes less than what is there. Returns of how many.
unsigned join_matches(llvm::Function& function, const llvm::TargetTransformInfo& target);

} // namespace heddle
