// Statistics of paired runs.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace heddle {

struct Interval {
  double median = 0, low = 0, high = 0;
  double confidence = 0; // of [low, high] to hold the true median; at least 0.95 from six samples on
};

double median_of(std::vector<double> values); // 0 for none

// The interval between two order statistics that holds the median of the distribution with at least 95 %
// confidence; whatever the distribution (the count below the median is binomial). Under six samples: minimum
// to maximum, with the confidence that this has.
Interval median_interval(std::vector<double> values);

} // namespace heddle
