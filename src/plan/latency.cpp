// cycles(plain)  = instructions / per_cycle + sum(stalls) / overlap,   overlap = window / instructions, at least 1
// cycles(hidden) = (instructions + step * steps) / per_cycle + pass * steps / in flight
//                  + sum(hidden stalls) / in flight + sum(other stalls) / overlap
// with no more overlap than the core has misses, or prefetches, under way. `steps` counts the accesses of hidden loads, and one for the way to the
// ordered code behind them. Deliberately coarse, like the price of cuts (make_plan.cpp): it is there to say no.
#include "plan/latency.h"

#include "program/openings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <numeric>

namespace heddle {

static constexpr double worth_it = 0.9;

LoadCost cost_of(const OpenedLoad& load, const MemoryModel& model) {
  return {load.accesses, load.level2 * model.level2 + load.level3 * model.level3 +
                             load.memory * model.memory + load.walks * model.walk};
}

unsigned cache_to_fill(const OpenedLoad& load) {
  return load.level2 > load.level3 + load.memory ? 1 : 2;
}

double predict_cycles(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<bool> hidden,
                      double in_flight, const MemoryModel& model) {
  double steps = 0, hidden_stalls = 0, stalls = 0;
  for (size_t i = 0; i != loads.size(); ++i) {
    (hidden[i] ? hidden_stalls : stalls) += loads[i].accesses * loads[i].stall;
    if (hidden[i]) steps += loads[i].accesses;
  }
  if (steps > 0) steps += 1;
  instructions += steps * model.step_instructions;
  return instructions / model.per_cycle + model.pass * steps / std::max(1.0, in_flight) +
         hidden_stalls / std::clamp(in_flight, 1.0, model.prefetches_at_once) +
         stalls / std::clamp(model.window / std::max(1.0, instructions), 1.0, model.misses_at_once);
}

llvm::SmallVector<bool, 8> choose_hidden(double instructions, llvm::ArrayRef<LoadCost> loads,
                                         double in_flight, const MemoryModel& model) {
  llvm::SmallVector<size_t, 8> order(loads.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return loads[a].stall != loads[b].stall ? loads[a].stall > loads[b].stall : a < b;
  });
  llvm::SmallVector<bool, 8> tried(loads.size()), best = tried;
  const double plain = predict_cycles(instructions, loads, tried, in_flight, model);
  double fewest = plain * worth_it;
  for (size_t i : order) {
    tried[i] = true;
    const double cycles = predict_cycles(instructions, loads, tried, in_flight, model);
    if (cycles >= fewest) continue;
    fewest = cycles;
    best = tried;
  }
  return best;
}

unsigned least_batch(double instructions, llvm::ArrayRef<LoadCost> hidden, const MemoryModel& model) {
  const llvm::SmallVector<bool, 8> none(hidden.size(), false), all(hidden.size(), true);
  unsigned batch = 2;
  auto pays = [&] {
    return predict_cycles(instructions, hidden, all, batch, model) <
           worth_it * predict_cycles(instructions, hidden, none, batch, model);
  };
  while (batch < 64 && !pays())
    batch *= 2;
  return batch;
}

} // namespace heddle
