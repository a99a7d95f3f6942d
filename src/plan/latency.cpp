// cycles(plain)  = instructions / per_cycle + waits(all)
// cycles(hidden) = (instructions + step * steps) / per_cycle + pass * steps / in flight
//                  + max(sum(hidden stalls) / in flight, sum(fetched stalls) / prefetches + longest hidden stall / batch) + waits(others)
// waits(loads)   = max(longest chain / packets, sum(stalls) / at once)
//     packets = window / instructions + min(1, turns / 2),   at once = loads * window / instructions + 1/2
// with all divisors between 1 and the misses that the core has under way, as the hidden ones' has no more than its prefetches. The window begins
// at the oldest load that waits, and holds that one, too: so half a packet more is under way than its length says, on average over where
// packets end; of packets that wait several times in turn it begins somewhere within one, and that is a whole packet more (docs/model.md has
// both beside a simulated core). The window holds so many packets, or the share of one, with so many loads each, and makes them at once; but a chain of loads whose addresses depend on each
// other (program/address_chain.h) takes as long as it takes, and only other packets' chains overlap it. Of unequal loads as many count as equal
// ones would make the same sum and the same sum of squares, so that many short waits do not make a long one shorter. `steps` counts the accesses of hidden loads, and one for the way to
// ordered code behind them, where there is any; a load that is fetched along with another (docs/hide.md) is no step, and takes one of the prefetches that the core has
// under way each time that the other is fetched, needed or not. However many are in flight, nobody is left to run while the last ones of a
// batch wait: one stall for all of them, which counts where the question is how large a batch has to be. In lanes, a stall is shared by these, and there are no steps:
//                    (lane * lanes * accesses + turn) / per_cycle + accesses * max(0, latency / lanes - iteration)
// as an iteration takes as long as its instructions do, unless its latency is what there is to wait for; no more lanes count than have an
// iteration each in the window. A chain of loads stalls even where the first cache answers. Deliberately coarse, like the price of cuts (make_plan.cpp): it is there to say no.
#include "plan/latency.h"

#include "program/openings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace heddle {

static constexpr double worth_it = 0.9;
static constexpr unsigned most_in_flight = 64, largest_batch = 256;

LoadCost cost_of(const OpenedLoad& load, const MemoryModel& model) {
  return {load.accesses,
          load.level2 * model.level2 + load.level3 * model.level3 + load.memory * model.memory +
              load.walks * model.walk,
          load.chain,
          load.iteration,
          load.loop,
          load.behind,
          load.follows_itself};
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

namespace {

// The loads that a packet waits for where it is.
class Waits {
public:
  void add(const LoadCost& load) {
    const double stall = load.stall + load.chain;
    sum_ += load.accesses * stall;
    squares_ += load.accesses * stall * stall;
    longest_stall_ = std::max(longest_stall_, stall);
    if (longest_.size() <= load.behind) longest_.resize(load.behind + 1);
    const double in_turn = load.follows_itself ? load.accesses : std::min(1.0, load.accesses);
    longest_[load.behind] = std::max(longest_[load.behind], in_turn * stall);
  }

  double cycles(double instructions, const MemoryModel& model) const {
    if (sum_ <= 0) return 0;
    const double packets = model.window / std::max(1.0, instructions), loads = sum_ * sum_ / squares_;
    auto at_once = [&](double many) { return std::clamp(many, 1.0, model.misses_at_once); };
    const double chain = std::accumulate(longest_.begin(), longest_.end(), 0.0);
    const double turns = longest_stall_ > 0 ? chain / longest_stall_ : 1;
    return std::max(chain / at_once(packets + std::min(1.0, turns / 2)),
                    sum_ / at_once(packets * loads + 0.5));
  }

private:
  double sum_ = 0, squares_ = 0, longest_stall_ = 0;
  llvm::SmallVector<double, 8> longest_; // by the loads before it
};

} // namespace

CycleShares predict_shares(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden,
                           double in_flight, const MemoryModel& model, double batch) {
  const double own_instructions = instructions;
  bool ordered_behind = false;
  double steps = 0, hidden_stalls = 0, longest_stall = 0, stalls_along = 0, in_lanes = 0;
  Waits waits;
  for (size_t i = 0; i != loads.size(); ++i) {
    if (const unsigned lanes = lanes_around(i, loads, hidden)) {
      in_lanes += loads[i].accesses * wait_in_lanes(loads[i], std::min(double(lanes), in_flight), model);
      if (hidden[i].hidden)
        instructions += loads[i].accesses * lanes * model.lane_instructions + model.lane_turn;
    } else if (hidden[i].along > 0) {
      stalls_along += hidden[i].along * loads[i].stall;
      instructions += hidden[i].along * hidden[i].instructions;
    } else if (hidden[i].hidden) {
      hidden_stalls += loads[i].accesses * (loads[i].stall + loads[i].chain);
      longest_stall = std::max(longest_stall, std::min(1.0, loads[i].accesses) * loads[i].stall);
      steps += loads[i].accesses;
      ordered_behind |= loads[i].ordered_behind;
    } else {
      waits.add(loads[i]);
    }
  }
  if (steps > 0 && ordered_behind) steps += 1;
  instructions += steps * model.step_instructions;
  CycleShares shares;
  shares.rest = own_instructions / model.per_cycle;
  shares.switching =
      (instructions - own_instructions) / model.per_cycle + model.pass * steps / std::max(1.0, in_flight);
  shares.data = in_lanes +
                std::max(hidden_stalls / std::max(1.0, in_flight),
                         (hidden_stalls + stalls_along) / model.prefetches_at_once + longest_stall / batch) +
                waits.cycles(instructions, model);
  return shares;
}

double predict_cycles(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden,
                      double in_flight, const MemoryModel& model, double batch) {
  return predict_shares(instructions, loads, hidden, in_flight, model, batch).total();
}

// One load after the other, those first that wait longest; with the cycles that it takes.
static std::pair<double, llvm::SmallVector<Hidden, 8>>
choose_in_turn(double instructions, llvm::ArrayRef<LoadCost> loads, double in_flight,
               const MemoryModel& model, bool may_have_lanes) {
  auto wait = [&](size_t i) { return loads[i].stall + loads[i].chain; };
  llvm::SmallVector<size_t, 8> order(loads.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) { return wait(a) != wait(b) ? wait(a) > wait(b) : a < b; });
  llvm::SmallVector<Hidden, 8> tried(loads.size()), best = tried;
  double fewest = worth_it * predict_cycles(instructions, loads, tried, in_flight, model);
  for (size_t i : order) {
    if (lanes_around(i, loads, tried) != 0) continue;
    double fewest_here = HUGE_VAL;
    Hidden best_here;
    for (unsigned lanes : {0, 4, 8, 16}) {
      if (lanes == 0 ? loads[i].stall < least_stall : !may_have_lanes || !can_have_lanes(i, loads, tried))
        continue;
      tried[i] = {true, lanes};
      const double cycles = predict_cycles(instructions, loads, tried, in_flight, model);
      if (cycles < fewest_here) std::tie(fewest_here, best_here) = std::tuple(cycles, tried[i]);
    }
    tried[i] = best_here;
    if (fewest_here >= fewest) continue;
    fewest = fewest_here;
    best = tried;
  }
  return {fewest, best};
}

// Lanes are for all loads of a loop, so they have to take less than stepping aside at all of these, not at the first alone.
llvm::SmallVector<Hidden, 8> choose_hidden(double instructions, llvm::ArrayRef<LoadCost> loads,
                                           double in_flight, const MemoryModel& model) {
  auto aside = choose_in_turn(instructions, loads, in_flight, model, false);
  auto lanes = choose_in_turn(instructions, loads, in_flight, model, true);
  return lanes.first < aside.first ? lanes.second : aside.second;
}

unsigned least_batch(double instructions, llvm::ArrayRef<LoadCost> loads, llvm::ArrayRef<Hidden> hidden,
                     const MemoryModel& model) {
  const llvm::SmallVector<Hidden, 8> none(loads.size());
  unsigned batch = 2;
  auto pays = [&] {
    const double in_flight = std::min(batch, most_in_flight);
    return predict_cycles(instructions, loads, hidden, in_flight, model, batch) <
           worth_it * predict_cycles(instructions, loads, none, in_flight, model, batch);
  };
  while (batch < largest_batch && !pays())
    batch *= 2;
  return batch;
}

} // namespace heddle
