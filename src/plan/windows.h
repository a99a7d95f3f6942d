// The windows of a body with their size, for the plan and its explanation.
#pragma once

#include "plan/condense.h"
#include "plan/plan.h"

namespace heddle {

// Fills the plan's windows, relaxed locations and totals.
void measure_windows(const CutGraph& graph, FootprintModel model, unsigned batch, BodyPlan& plan);

} // namespace heddle
