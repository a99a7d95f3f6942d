// heddle plan --sweep: the ways to plan a program, measured in turn, beside what the models say of each.
#pragma once

#include "cli/planning.h"
#include "cli/running.h"
#include "cli/workspace.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle {

// One plan, run with so many packets in flight at most.
struct SweptPlan {
  std::string kind;   // "neither", "staged", "hidden", "both": what was allowed
  std::string budget; // "32K": of a stage; empty: as the models choose, or no cut was allowed
  unsigned batch = 0;
  unsigned stages = 1, hidden_loads = 0;
  double predicted = 1; // times as fast as the original, by the models
  Interval measured;    // likewise, by paired runs
};

struct Sweep {
  VerifyResult outputs; // of the original, and of each plan in order
  BenchResult bench;    // of each plan in order: the original, and it
  std::vector<SweptPlan> plans;
  size_t chosen = 0; // by the models
  size_t best = 0;   // as measured
  double share() const { return plans[chosen].measured.median / plans[best].measured.median; }
};

// Plans and builds the program in each way that differs from the others, in a temporary folder; compares the outputs of all with the original's;
// and runs the original and one of them in turn, all of them in each round. Outputs that do not repeat themselves are a verdict. Errors: no
// profile, a step that fails, a run that does, an output that differs.
llvm::Expected<Sweep> sweep_plans(const Workspace& workspace, const std::string& profile,
                                  const PlanningOptions& planning, const std::string& program,
                                  const RunningOptions& running);

void print_sweep(const Sweep& sweep, llvm::raw_ostream& out);
// The fields of an object that the caller has opened.
void write_sweep(const Sweep& sweep, llvm::json::OStream& json);

} // namespace heddle
