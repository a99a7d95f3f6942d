// Run times on a shared machine are skewed and have outliers, so neither means nor normal intervals are used.
//
// For n independent samples the number below the true median is binomial(n, 1/2), so the k-th smallest and
// the k-th largest sample enclose it with probability 1 - 2 P(X < k), for any distribution. That is exact and
// needs no resampling: k is the largest rank that keeps 95 %. For 15 pairs it is the 4th of each end (96.5
// %).

#include "support/ratio.h"

#include <algorithm>
#include <cmath>

namespace heddle {

namespace {

// P(X < k) for X ~ binomial(n, 1/2).
double below(size_t k, size_t n) {
  double sum = 0;
  for (size_t i = 0; i != k; ++i)
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(double(n - i) + 1.0) -
                    double(n) * std::log(2.0));
  return sum;
}

} // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

Interval median_interval(std::vector<double> values) {
  Interval interval;
  if (values.empty()) return interval;
  std::sort(values.begin(), values.end());
  size_t n = values.size(), k = 1;
  while (k < n / 2 && 1 - 2 * below(k + 1, n) >= 0.95)
    ++k;
  interval.median = median_of(values);
  interval.low = values[k - 1];
  interval.high = values[n - k];
  interval.confidence = 1 - 2 * below(k, n);
  return interval;
}

} // namespace heddle
