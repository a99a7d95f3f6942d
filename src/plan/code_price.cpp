#include "plan/code_price.h"

#include <algorithm>
#include <cmath>

namespace heddle {

namespace {

constexpr double lines_a_step = 8; // of the table

// Calls `with(k, chance)` for k of so many lines in one set, as far as that is not negligible.
template <typename With> void for_each_in_set(double between, double sets, With with) {
  const double mean = between / sets, reach = 6 * std::sqrt(mean) + 8;
  for (double k = std::max(0.0, std::floor(mean - reach)); k <= mean + reach; ++k)
    with(k, std::exp(k * std::log(std::max(mean, 1e-9)) - mean - std::lgamma(k + 1)));
}

} // namespace

double chance_evicted(double between, double sets, unsigned ways) {
  double stays = 0;
  for_each_in_set(between, sets, [&](double k, double chance) {
    if (k < ways) stays += chance;
  });
  return std::max(0.0, 1 - stays);
}

CodePrice::CodePrice(const CodeLines& all, unsigned witnesses, const Refill& refill, unsigned sets)
    : witnesses_(std::max(1u, witnesses)), all_(all.counts()), growth_(growth_of(all_)) {
  for (double lines = 0; lines <= growth_.back() + lines_a_step; lines += lines_a_step) {
    double price = 0;
    if (sets == 0)
      price = refill(lines);
    else
      for_each_in_set(lines, sets,
                      [&](double k, double chance) { price += chance * refill((k + 1) * sets); });
    refill_.push_back(price);
  }
}

CodePrice::Growth CodePrice::growth_of(const LineCounts& counts) const {
  Growth growth{};
  for (unsigned ran = 1; ran <= witnesses_; ++ran) {
    if (counts[ran] == 0) continue;
    double misses_it = 1 - chance(ran); // by so many packets
    for (double& lines : growth) {
      lines += counts[ran] * (1 - misses_it);
      misses_it *= misses_it;
    }
  }
  return growth;
}

double CodePrice::refill(const Growth& growth, double packets) const {
  const double doubled = std::clamp(std::log2(packets), 0.0, double(doublings - 1));
  const auto below = unsigned(doubled), above = std::min(below + 1, doublings - 1);
  const double lines = std::lerp(growth[below], growth[above], doubled - below) / lines_a_step;
  const auto step = std::min(size_t(lines), refill_.size() - 2);
  return std::lerp(refill_[step], refill_[step + 1], lines - double(step));
}

double CodePrice::of_whole() const {
  double cycles = 0;
  for (unsigned ran = 1; ran <= witnesses_; ++ran)
    if (all_[ran] != 0) cycles += all_[ran] * chance(ran) * refill(growth_, 1 / chance(ran));
  return cycles;
}

double CodePrice::of_stage(const CodeLines& stage, double batch) const {
  const LineCounts counts = stage.counts();
  const Growth growth = growth_of(counts);
  double cycles = 0;
  for (unsigned ran = 1; ran <= witnesses_; ++ran) {
    if (counts[ran] == 0) continue;
    const double in_batch = 1 - std::pow(1 - chance(ran), batch), first = in_batch / batch,
                 within = refill(growth, 1 / chance(ran)),
                 from_others = std::max(within, refill(growth_, batch / in_batch));
    cycles += counts[ran] * (first * from_others + (chance(ran) - first) * within);
  }
  return cycles;
}

} // namespace heddle
