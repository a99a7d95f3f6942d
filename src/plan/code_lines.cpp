#include "plan/code_lines.h"

#include <algorithm>
#include <cmath>

namespace heddle {

LineWeights::LineWeights(unsigned witnesses, FootprintModel model, unsigned batch) {
  for (size_t ran = 0; ran != of_batch_.size(); ++ran) {
    const double chance = std::min(1.0, double(ran) / std::max(1u, witnesses));
    of_batch_[ran] = model == FootprintModel::PerVisit ? 1 : 1 - std::pow(1 - chance, std::max(1u, batch));
  }
}

void CodeLines::add(llvm::ArrayRef<LineUse> uses) {
  for (const LineUse& use : uses) {
    ran_[use.line] |= use.ran;
    held_[use.line] = true;
  }
}

double CodeLines::growth(llvm::ArrayRef<LineUse> uses, const LineWeights& weights) const {
  double sum = 0;
  for (const LineUse& use : uses)
    sum +=
        weights.of_batch(ran_[use.line] | use.ran) - (held_[use.line] ? weights.of_batch(ran_[use.line]) : 0);
  return sum;
}

double CodeLines::of_batch(const LineWeights& weights) const {
  double sum = 0;
  for (size_t line = 0; line != ran_.size(); ++line)
    if (held_[line]) sum += weights.of_batch(ran_[line]);
  return sum;
}

LineCounts CodeLines::counts() const {
  LineCounts counts{};
  for (size_t line = 0; line != ran_.size(); ++line)
    if (held_[line]) ++counts[ran_[line].count()];
  return counts;
}

} // namespace heddle
