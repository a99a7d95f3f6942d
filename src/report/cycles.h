// Where a packet's cycles go, as written and as planned. Modelled, from simulated misses; nothing here is measured.
#pragma once

#include "plan/make_plan.h"
#include "plan/plan.h"

namespace heddle {

// Per packet.
struct CycleShares {
  double front_end = 0; // refills of the level-1 instruction cache
  double data = 0;      // waits at expensive loads
  double switching = 0; // crossings of sites, steps aside
  double rest = 0;      // the instructions, at the rate that they run without waiting
  double total() const { return front_end + data + switching + rest; }
};

struct CyclesBeforeAfter {
  CycleShares before, after;
};

// Instruction-cache misses of the sample, at the host's geometry.
struct SampleMisses {
  double original = 0, staged = 0;
};

// Mean over the packets of all bodies. `prices`: what a crossing and waiting for memory cost.
CyclesBeforeAfter model_cycles(const Plan& plan, const SampleMisses& misses, const PlanOptions& prices);

} // namespace heddle
