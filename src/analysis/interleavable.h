// Can all packets of a batch run in one function (src/transform/interleave.h)?
#pragma once

#include "analysis/body_graph.h"
#include "analysis/effects.h"
#include "program/program.h"

#include <string>

namespace heddle {

// There are no stacks of the packets' own then, and no runtime: whatever of the body needs either stands in the way. Says what does,
// with its place; empty: nothing.
std::string why_not_interleaved(const PacketBody& body, const BodyGraph& graph, const Effects& effects);

} // namespace heddle
