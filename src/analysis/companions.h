// Which expensive loads could be fetched where packets step aside for another one (program/address_slice.h).
#pragma once

#include "analysis/body_graph.h"
#include "analysis/cut_graph.h"

#include <vector>

namespace heddle {

// One for each two expensive loads of which one comes before the other on every way to it, in functions that can become part of the body's.
// `described`: the graph's nodes and contexts. For the while, the module has a copy of these functions.
std::vector<CutCompanion> find_companions(const BodyGraph& graph, const CutGraph& described);

} // namespace heddle
