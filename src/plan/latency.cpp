// cycles(plain)  = instructions / per_cycle + sum(stalls) / overlap,   overlap = window / instructions, at least 1
// cycles(hidden) = (instructions + step * steps) / per_cycle + pass * steps / in flight
//                  + sum(hidden stalls) / in flight + sum(other stalls) / overlap
// with no more overlap than the core has misses, or prefetches, under way. `steps` counts the accesses of hidden loads, and one for the way to the
// ordered code behind them. In lanes, a stall is shared by these, and there are no steps:
//                    (lane * lanes * accesses + turn) / per_cycle + accesses * max(0, latency / lanes - iteration)
// as an iteration takes as long as its instructions do, unless its latency is what there is to wait for; no more lanes count than have an
// iteration each in the window. A chain of loads stalls even where the first cache answers. Deliberately coarse, like the price of cuts (make_plan.cpp): it is there to say no.
#include "plan/latency.h"

#include "program/openings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heddle {

static constexpr double worth_it = 0.9;

LoadCost cost_of(const OpenedLoad& load, const MemoryModel& model) {
  return {load.accesses,
          load.level2 * model.level2 + load.level3 * model.level3 + load.memory * model.memory +
              load.walks * model.walk,
          load.chain, load.iteration, load.loop};
}

unsigned cache_to_fill(const OpenedLoad& load) {
  return load.level2 > load.level3 + load.memory ? 1 : 2;
}

// What others do about loads of the same loop: in lanes, none steps aside.
static unsigned lanes_around(size_t i, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden) {
  if (loads[i].loop == 0) return 0;
  unsigned lanes = 0;
  for (size_t j = 0; j != loads.size(); ++j)
    if (loads[j].loop == loads[i].loop) lanes = std::max(lanes, hidden[j].lanes);
  return lanes;
}

// What is left of a wait when so many packets share it.
static double wait_in_lanes(const LoadCost& load, double lanes, const MemoryModel& model) {
  const double most = std::min(model.misses_at_once, model.window / std::max(1.0, load.iteration));
  const double latency = load.stall + load.chain + load.iteration / model.per_cycle;
  return std::max(0.0, latency / std::clamp(lanes, 1.0, std::max(1.0, most)) -
                           load.iteration / model.per_cycle_in_lanes);
}

// None of the loop's others steps aside.
static bool can_have_lanes(size_t i, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden) {
  if (loads[i].chain == 0) return false;
  for (size_t j = 0; j != loads.size(); ++j)
    if (j != i && hidden[j].hidden && loads[j].loop == loads[i].loop) return false;
  return true;
}

double predict_cycles(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden,
                      double in_flight, const MemoryModel& model) {
  double steps = 0, hidden_stalls = 0, stalls = 0, in_lanes = 0;
  for (size_t i = 0; i != loads.size(); ++i) {
    const double stall = loads[i].accesses * (loads[i].stall + loads[i].chain);
    if (const unsigned lanes = lanes_around(i, loads, hidden)) {
      in_lanes += loads[i].accesses * wait_in_lanes(loads[i], std::min(double(lanes), in_flight), model);
      if (hidden[i].hidden)
        instructions += loads[i].accesses * lanes * model.lane_instructions + model.lane_turn;
    } else {
      (hidden[i].hidden ? hidden_stalls : stalls) += stall;
      if (hidden[i].hidden) steps += loads[i].accesses;
    }
  }
  if (steps > 0) steps += 1;
  instructions += steps * model.step_instructions;
  return instructions / model.per_cycle + model.pass * steps / std::max(1.0, in_flight) + in_lanes +
         hidden_stalls / std::clamp(in_flight, 1.0, model.prefetches_at_once) +
         stalls / std::clamp(model.window / std::max(1.0, instructions), 1.0, model.misses_at_once);
}

llvm::SmallVector<Hidden, 8> choose_hidden(double instructions, llvm::ArrayRef<LoadCost> loads,
                                           double in_flight, const MemoryModel& model) {
  auto wait = [&](size_t i) { return loads[i].stall + loads[i].chain; };
  llvm::SmallVector<size_t, 8> order(loads.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) { return wait(a) != wait(b) ? wait(a) > wait(b) : a < b; });
  llvm::SmallVector<Hidden, 8> tried(loads.size()), best = tried;
  const double plain = predict_cycles(instructions, loads, tried, in_flight, model);
  double fewest = plain * worth_it;
  for (size_t i : order) {
    if (lanes_around(i, loads, tried) != 0) continue;
    double fewest_here = 0;
    Hidden best_here;
    for (unsigned lanes : {0, 4, 8, 16}) {
      if (lanes != 0 && !can_have_lanes(i, loads, tried)) continue;
      tried[i] = {true, lanes};
      const double cycles = predict_cycles(instructions, loads, tried, in_flight, model);
      if (lanes == 0 || cycles < fewest_here) std::tie(fewest_here, best_here) = std::tuple(cycles, tried[i]);
    }
    tried[i] = best_here;
    if (fewest_here >= fewest) continue;
    fewest = fewest_here;
    best = tried;
  }
  return best;
}

unsigned least_batch(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden,
                     const MemoryModel& model) {
  const llvm::SmallVector<Hidden, 8> none(loads.size());
  unsigned batch = 2;
  auto pays = [&] {
    return predict_cycles(instructions, loads, hidden, batch, model) <
           worth_it * predict_cycles(instructions, loads, none, batch, model);
  };
  while (batch < 64 && !pays())
    batch *= 2;
  return batch;
}

} // namespace heddle
