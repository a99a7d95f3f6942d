// From stage numbers to sites, and back: what an edited plan means.
#pragma once

#include "plan/condense.h"
#include "plan/plan.h"

namespace heddle {

// The sites of a labelling: one on every edge where the number rises. Edges that share a place (several ways
// back from one opened call) share a site.
std::vector<PlannedSite> sites_of(const CutGraph& graph, const std::vector<unsigned>& node_stages);

// The stage numbers that sites give: the number that a packet can have at each node, which must be one.
// `loads`: of an interleaved body. Errors, each naming the site or the window: a site where no edge is or can hold
// one, inside a loop and not behind a hidden load, a window that the sites divide.
llvm::Expected<std::vector<unsigned>> stages_of(const CutGraph& graph, const std::vector<PlannedSite>& sites,
                                                llvm::ArrayRef<PlannedLoad> loads = {});

// Figures of each stage of a labelling.
std::vector<PlannedStage> stages_table(const CutGraph& graph, const Condensed& condensed,
                                       const std::vector<unsigned>& node_stages);

// Validates a plan, as read from a file, against the graph of its body. Errors as stages_of().
llvm::Error check_plan(const BodyPlan& plan, const CutGraph& graph);

} // namespace heddle
