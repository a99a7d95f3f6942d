// The decision: from the bodies' graphs to a plan, and whether it pays.
#pragma once

#include "plan/latency.h"
#include "plan/plan.h"
#include "plan/policy.h"

#include <functional>

namespace heddle {

// Until a line of code comes from the second level of cache, on a host that was not calibrated.
inline constexpr double second_level_cycles = 12;

// Data of packets that are suspended at a cut. While a packet waits, the others of its batch use the first level of data cache.
struct SuspendedData {
  double used_again =
      16; // lines that a packet uses before a cut and behind it: 12 of examples/upf, 15 of unbound, 30 of nginx (Cachegrind)
  double held = 60;            // lines that it uses until it ends
  double overlap = 4;          // of them are fetched at once
  unsigned sets = 0, ways = 8; // of that cache; 0: never evicted
};

struct PlanOptions {
  std::string policy = "optimistic-bound";
  Budget budget;
  bool choose_budget = false; // the one that comes out cheapest, up to four times `budget`
  double icache_lines = 512;  // of the whole cache; for the figures only
  unsigned icache_sets = 0;   // 0: any place serves any line
  SuspendedData suspended_data;
  unsigned batch = 0;      // most packets in flight; 0: 32, and 64 where all staged bodies are interleaved
  bool stage = true;       // cut bodies for the instruction cache's sake
  bool hide = true;        // interleave those that have expensive loads
  bool fetch_along = true; // of loads whose addresses are known at once, wait for one alone
  FootprintModel model = FootprintModel::Batch;
  double rare_share = 0;                //  that the analysis used; recorded in the plan
  std::vector<std::string> relaxations; // that the analysis was allowed to use; recorded in the plan
  std::string trust = "proven";         // likewise
  Declarations declarations;            // all; recorded in the plan
  Openings openings;                    // in the program that was analysed; likewise
  // What a decision weighs, in cycles; a calibrated host takes the place of each (host_model.h). Crossing a site; what one line of
  // code costs when so many lines run again and again, over what it costs where all fit (empty: 12 where they exceed the budget); and
  // waiting for memory.
  double crossing_cycles = 16;
  std::function<double(double lines)> refill_cycles;
  bool price_by_budget =
      false; // cuts are worth 12 cycles for each line that exceeds the budget, whatever `refill_cycles` says
  MemoryModel memory;
  std::vector<std::vector<LoadCost>>
      waits_elsewhere;                       // by body: what a packet waits for that `openings` does not have
  std::vector<double> instructions_in_calls; // by body: as long as library functions take; expensive_loads.h
  std::string host;                          // that these are of, in words; recorded in the plan
  double min_gain = 0;                       // a cut has to save more cycles per packet than this
  bool only_if_pays = true;                  // false: keep every cut of the policy, whatever it costs
};

// One BodyPlan per graph. A body that is not worth staging, or cannot be, has no sites and a remark:
//   no-packets         the sample has no packet of the body
//   path-fits-cache    the whole footprint is within the budget
//   no-legal-cut       the body is one loop, or has no place for a site
//   window-covers-body windows hold the body together (or 90 % of its instructions: then with sites)
//   one-stage          cuts are legal, but none saves more than it costs
//   window-over-budget a window or a loop exceeds the budget, and so does its stage
//   load-not-hidden    an expensive load, and why packets wait for it
//   load-not-along     one that is hidden, and why it is not fetched where packets step aside for the one before it
//   staged-not-hidden  the body is staged, and none of its expensive loads is hidden; or that alone is predicted to be faster
//   hidden-not-staged  the other way round
// Errors: unknown policy.
llvm::Expected<Plan> make_plan(llvm::StringRef program_id, const std::vector<CutGraph>& graphs,
                               const PlanOptions& options);

} // namespace heddle
