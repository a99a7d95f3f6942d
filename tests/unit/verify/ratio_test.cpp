#include "support/ratio.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace heddle;

namespace {

std::vector<double> counting(size_t n) {
  std::vector<double> values(n);
  std::iota(values.rbegin(), values.rend(), 1);
  return values;
}

TEST(Ratio, Median) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
}

// Ranks from the tables of the sign test.
TEST(Ratio, IntervalRanks) {
  for (auto [n, low, confidence] :
       {std::tuple{6u, 1., 0.969}, {7u, 1., 0.984}, {15u, 4., 0.965}, {25u, 8., 0.957}}) {
    Interval interval = median_interval(counting(n));
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.high, n + 1 - low) << n;
    EXPECT_NEAR(interval.confidence, confidence, 0.001) << n;
  }
}

TEST(Ratio, FewSamplesSayHowLittleTheyKnow) {
  EXPECT_NEAR(median_interval(counting(3)).confidence, 0.75, 1e-9);
  EXPECT_EQ(median_interval({5}).confidence, 0);
}

TEST(Ratio, TheIntervalHoldsTheMedianOfASkewedDistribution) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> skewed(1);
  int held = 0;
  for (int i = 0; i != 2000; ++i) {
    std::vector<double> values(15);
    for (double& value : values)
      value = skewed(random);
    Interval interval = median_interval(values);
    held += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
  }
  EXPECT_GT(held, 1890);
  EXPECT_LT(held, 1970);
}

} // namespace
