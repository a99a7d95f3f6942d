// What packets of a sample were seen to share (`--trust observed`). An upper bound for study: what the sample did not
// show is taken not to happen, so nothing that is built of it is for production. The distance between the windows
// of this and those of the analysis is the measure of the analysis.
#pragma once

#include "analysis/body_graph.h"
#include "analysis/cut_graph.h"
#include "analysis/effects.h"
#include "analysis/observed_dependence.h"

namespace heddle {

// Windows around them: one for each set of dependences that share places. `ran`: did a packet of the sample run the
// block? Code that none ran made none of the accesses.
std::vector<SharedLocation> observed_locations(const BodyGraph& graph, const PacketBody& body,
                                               const Effects& effects,
                                               const std::vector<ObservedDependence>& dependences,
                                               const std::function<bool(const llvm::BasicBlock*)>& ran);

} // namespace heddle
