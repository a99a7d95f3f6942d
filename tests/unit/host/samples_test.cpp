// What is made of repeated measurements, fed in.
#include "host/samples.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

namespace {

TEST(Samples, InterruptedOnesAreLeftOut) {
  const Summary summary = summarise({10, 11, 10, 5000, 10, 11, 10, 900});
  EXPECT_EQ(summary.kept, 6u);
  EXPECT_EQ(summary.interrupted, 2u);
  EXPECT_DOUBLE_EQ(summary.median, 10);
}

TEST(Samples, NoneAreNoFigure) {
  EXPECT_FALSE(measured(summarise({})).known());
}

TEST(Samples, SpreadIsThatOfTheQuartiles) {
  const Summary summary = summarise({100, 100, 104, 108, 108});
  EXPECT_DOUBLE_EQ(summary.median, 104);
  EXPECT_NEAR(summary.spread_percent, 100 * 8.0 / 104, 1e-9);
}

TEST(Noise, ASteadyMachineIsMeasured) {
  EXPECT_FALSE(bool(check_noise(summarise({100, 101, 100, 101, 100}), 10)));
}

TEST(Noise, ASpreadOverTheLimitIsRefused) {
  llvm::Error error = check_noise(summarise({100, 110, 120, 130, 140}), 10);
  EXPECT_THAT(llvm::toString(std::move(error)),
              HasSubstr("spread over 16.7 % of their median, and 10.0 % are allowed"));
}

TEST(Noise, AMachineThatIsInterruptedAllTheTimeIsRefused) {
  llvm::Error error = check_noise(summarise({100, 100, 300, 400, 500}), 10);
  EXPECT_THAT(llvm::toString(std::move(error)), HasSubstr("3 of 5 repetitions"));
}

TEST(Noise, ACpuThatOthersHaveIsRefused) {
  EXPECT_FALSE(bool(check_share(1, 5, 10)));
  EXPECT_THAT(llvm::toString(check_share(1, 40, 10)),
              HasSubstr("other programs had CPU 1 for 40 % of the time"));
}

TEST(Line, GoesThroughItsPoints) {
  const Line line = fit_line({{1, 5}, {0.5, 4}, {0.25, 3.5}});
  EXPECT_NEAR(line.a, 3, 1e-9);
  EXPECT_NEAR(line.b, 2, 1e-9);
}

} // namespace
