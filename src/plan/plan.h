// The plan: everything Heddle decided, in one JSON file a person can read and edit (docs/plan.schema.json).
#pragma once

#include "analysis/cut_graph.h"
#include "support/diagnostic.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace heddle {

// A site: when control passes from `from` to `to` (blocks of one function, in one context), the packet has
// finished every stage below `stage` and may be suspended.
struct PlannedSite {
  uint32_t context = 0, from = 0, to = 0; // context index, BlockIds
  unsigned stage = 0;                     // of `to`; 1 is the first cut
  std::string function, at;
};

struct PlannedStage {
  double cost = 0;         // predicted footprint S, in instruction-cache lines
  double heat = 0;         // instructions per packet
  double crossings = 0;    // predicted suspensions per packet at the cut that ends it
  uint32_t blocks = 0;
};

// A window as the plan keeps it: enough to check an edited plan without repeating the analysis.
struct PlannedWindow {
  std::string name, verdict, reason, would_free;
  double heat_share = 0; // part of the packet's instructions between its first and its last access
  double cost = 0;       // instruction-cache lines inside
  uint64_t instructions = 0;
  std::vector<LocationAccess> accesses;
};

struct BodyPlan {
  std::string body;       // heddle.body.N
  std::string source;     // function and file:line of the loop
  std::vector<CutContext> contexts;
  std::vector<PlannedSite> sites;
  std::vector<PlannedStage> stages;
  std::vector<PlannedWindow> windows;
  uint32_t shared_locations = 0;
};

struct Plan {
  std::string program; // Program::id
  std::string policy;  // "optimistic-bound", "conservative", "none"
  double budget = 0;   // instruction-cache lines
  unsigned batch = 32;
  std::vector<std::string> relaxations; // those that were switched on
  std::vector<BodyPlan> bodies;
  std::vector<Remark> remarks;
};

llvm::Error write_plan(const Plan& plan, llvm::StringRef path);
// Errors: not a plan, unknown or missing fields (named), of another build than `program_id` (unless empty).
llvm::Expected<Plan> read_plan(llvm::StringRef path, llvm::StringRef program_id);

} // namespace heddle
