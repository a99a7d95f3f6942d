// Where a packet's cycles go, as written and as planned: what the plan's bodies say, together. Modelled; nothing here is measured.
#pragma once

#include "plan/plan.h"

namespace heddle {

struct CyclesBeforeAfter {
  CycleShares before, after;
};

// Mean over the packets of all bodies.
CyclesBeforeAfter model_cycles(const Plan& plan);

} // namespace heddle
