// One host out of several times that the same machine was measured.
#pragma once

#include "host/host.h"

#include "llvm/ADT/ArrayRef.h"

namespace heddle {

// Of each figure, the median of those rounds that have it; its spread is at least the range of these. All else is the first
// round's, as are curves that have other points in other rounds. At least one round.
Host median_of_rounds(llvm::ArrayRef<Host> rounds);

} // namespace heddle
