// The best cuts of a small body, all of them looked at.
#pragma once

#include "plan/condense.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace heddle {

// Cycles per packet of a stage with these lines.
using StagePrice = llvm::function_ref<double(const CodeLines& lines)>;

// The labelling whose stages, with `cut_cycles` for each cut and `crossing_cycles` for each crossing, cost least; of equals one with the fewest
// stages. None for bodies of more than 64 groups, or with more legal cuts than `most_cuts`.
std::optional<std::vector<unsigned>> cheapest_stages(const Condensed& condensed, StagePrice price,
                                                     double crossing_cycles, double cut_cycles,
                                                     size_t most_cuts = 512);

} // namespace heddle
