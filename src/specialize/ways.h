// How many ways lead through the compares of a version.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class CallInst;
class Function;
} // namespace llvm

namespace heddle {

// A lookup that becomes compares, and the outcomes that these tell apart.
struct Cases {
  const llvm::CallInst* lookup;
  uint64_t count;
};

struct Ways {
  uint64_t count = 1;
  llvm::SmallVector<size_t, 8> sites; // on the path that has most, by their place in `sites`
};

// The most ways along one path of the function: the product of the cases of the sites on it, each counted once.
Ways most_ways(const llvm::Function& function, llvm::ArrayRef<Cases> sites);

} // namespace heddle
