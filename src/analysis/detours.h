// Rare code that need not count as rare: short ways round that touch nothing but what the common code beside them touches.
//
// Problem. A packet that comes to rare code becomes alone, which costs a batch (docs/design.md, "Rare paths"), and which code is rare
// depends on the sample. The loop that pads a number with zeros is rare in a sample taken on the 23rd, and on the 1st every packet runs it.
// Such code gains nothing from being rare: what it touches is held together by the common code already.
//
// A detour is a set of connected rare blocks
//   - without calls, atomics and volatile accesses,
//   - in which each access overlaps one by common code of the same function, and a write one that writes,
//   - that is entered from and left to common code only, each way out being reachable from each way in through common code.
// By the second, windows get longer by the detour at most; by the third, no new cycle binds common code together. Counting code as
// common is sound whatever it is: rarity is what needs a reason.
#pragma once

#include "analysis/points_to.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

// The blocks of all detours of the function.
llvm::SmallVector<const llvm::BasicBlock*, 8> detours(const llvm::Function& function,
                                                      const PointsTo& points_to,
                                                      llvm::function_ref<bool(const llvm::BasicBlock&)> rare);

} // namespace heddle
