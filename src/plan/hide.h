// Which expensive loads can be hidden, and in which stages their packets then run (docs/hide.md).
#pragma once

#include "analysis/cut_graph.h"
#include "plan/latency.h"
#include "plan/plan.h"
#include "program/openings.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct Hiding {
  std::vector<PlannedLoad> loads; // all that are expensive
  std::vector<unsigned> stages;   // by node
  std::vector<bool> ordered;      // by stage
  std::vector<PlannedSite> sites; // empty: nothing can be hidden
  // Of hidden loads by their number, why packets step aside for them by themselves, and not for them and the one before at once.
  std::vector<std::pair<size_t, std::string>> apart;
  unsigned least_batch = 0;    // BodyPlan::least_batch
  std::vector<LoadCost> costs; // of those whose waits are known, and what is done about each
  std::vector<Hidden> how;
};

// Stages alternate: those that packets pass in packet order hold all that conflicts between packets, and the others hold the
// loads. In these a packet that waits for memory lets others run, in any order, any number of times; so they hold nothing
// that two packets may touch and one of them writes. Stages are as few as that takes.
// `instructions`: per packet. Loads of which the profile says how often they wait (`opened`) are hidden where the model says that it
// pays (latency.h), those that the source names wherever that is legal.
// `cut`: by node, stages that were chosen for the instruction cache's sake; those of the result divide them further. Empty: there are none.
Hiding plan_hiding(const CutGraph& graph, llvm::ArrayRef<OpenedLoad> opened, double instructions,
                   double in_flight, llvm::ArrayRef<unsigned> cut = {}, const MemoryModel& model = {});

// Validates an interleaved body's plan, as read from a file. `low`, `high`: the lowest and the highest stage that a packet can be
// in at each node (sites.cpp). Errors: what is touched in a stage that is not ordered, a load that cannot be hidden.
llvm::Error check_hiding(const BodyPlan& plan, const CutGraph& graph, llvm::ArrayRef<unsigned> low,
                         llvm::ArrayRef<unsigned> high);

} // namespace heddle
