// The planner's own two models, side by side: refills and crossings as make_plan.cpp prices them, waits as latency.cpp does. The first
// decides about cuts, the second about loads; what neither counts (branches, caches below the first level that miss code) stands in no
// figure here, so the sum is not the measured time, and is not scaled to it.
#include "report/cycles.h"

#include "plan/latency.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace heddle {

namespace {

struct BodyCycles {
  double rest = 0, data_before = 0, data_after = 0, switching = 0;
};

// The expensive loads that the profile saw. Where none is hidden the plan lists them for the program only, so they are a body's own
// when it is the only one with packets.
std::vector<LoadCost> loads_of(const Plan& plan, const BodyPlan& body, const MemoryModel& model) {
  std::vector<LoadCost> costs;
  for (const PlannedLoad& load : body.loads) { // a plan does not say which share a loop
    LoadCost& cost = costs.emplace_back(LoadCost{load.accesses, load.stall});
    cost.loop = uint32_t(costs.size());
  }
  const bool only_one = llvm::count_if(plan.bodies, [](const BodyPlan& b) { return b.packets > 0; }) == 1;
  if (costs.empty() && only_one)
    for (const OpenedLoad& load : plan.openings.loads)
      costs.push_back(cost_of(load, model));
  return costs;
}

BodyCycles cycles_of(const Plan& plan, const BodyPlan& body, const PlanOptions& prices) {
  const MemoryModel& model = prices.memory;
  const std::vector<LoadCost> loads = loads_of(plan, body, model);
  const llvm::SmallVector<Hidden, 8> none(loads.size());
  llvm::SmallVector<Hidden, 8> hidden = none;
  double steps = 0;
  for (size_t i = 0; i != body.loads.size(); ++i) {
    hidden[i] = {body.loads[i].hidden, body.loads[i].lanes};
    for (uint32_t with : body.loads[i].with)
      if (with < body.loads.size()) hidden[i].along += body.loads[with].accesses;
    if (hidden[i].hidden && hidden[i].lanes == 0 && body.loads[i].with.empty())
      steps += body.loads[i].accesses;
  }
  BodyCycles cycles;
  cycles.rest = body.instructions / model.per_cycle;
  cycles.data_before = predict_cycles(body.instructions, loads, none, plan.batch, model) - cycles.rest;
  if (steps > 0) {
    steps += 1; // the way to the ordered code behind the loads, as in predict_cycles()
    cycles.switching = steps * (model.step_instructions / model.per_cycle + model.pass / plan.batch);
  }
  cycles.data_after =
      predict_cycles(body.instructions, loads, hidden, plan.batch, model) - cycles.rest - cycles.switching;
  cycles.data_after = std::max(0.0, cycles.data_after);
  if (!body.interleaved)
    for (const PlannedStage& stage : body.stages)
      cycles.switching += stage.crossings * prices.crossing_cycles;
  return cycles;
}

} // namespace

CyclesBeforeAfter model_cycles(const Plan& plan, const SampleMisses& misses, const PlanOptions& prices) {
  CyclesBeforeAfter result;
  double packets = 0;
  for (const BodyPlan& body : plan.bodies)
    packets += double(body.packets);
  if (packets == 0) return result;
  result.before.front_end = misses.original / packets * second_level_cycles;
  result.after.front_end = misses.staged / packets * second_level_cycles;
  for (const BodyPlan& body : plan.bodies) {
    const double share = double(body.packets) / packets;
    const BodyCycles cycles = cycles_of(plan, body, prices);
    result.before.rest += share * cycles.rest;
    result.after.rest += share * cycles.rest;
    result.before.data += share * cycles.data_before;
    result.after.data += share * cycles.data_after;
    result.after.switching += share * cycles.switching;
  }
  return result;
}

} // namespace heddle
