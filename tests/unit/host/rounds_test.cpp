// Several rounds of one machine.
#include "host/rounds.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

Host round_with(double window, double conditional) {
  Host host;
  host.window_instructions = {window, 2, window > 0 ? "measured" : "not measured: test"};
  host.front_end.points = {{16, 0.25, conditional, 0.5}};
  return host;
}

TEST(Rounds, GiveTheMedianAndTheRange) {
  const Host host = median_of_rounds({round_with(200, 1), round_with(100, 3), round_with(210, 2)});
  EXPECT_EQ(host.window_instructions.value, 200);
  EXPECT_EQ(host.window_instructions.spread_percent, 55);
  EXPECT_EQ(host.front_end.points[0].conditional, 2);
}

TEST(Rounds, ThatMeasuredNothingDoNotCount) {
  const Host host = median_of_rounds({round_with(0, 1), round_with(180, 1)});
  EXPECT_EQ(host.window_instructions.value, 180);
  EXPECT_EQ(host.window_instructions.source, "measured");
  EXPECT_EQ(median_of_rounds({round_with(0, 1)}).window_instructions.source, "not measured: test");
}

TEST(Rounds, WithOtherPointsAreLeftOut) {
  Host shorter = round_with(1000, 9);
  shorter.front_end.points.clear();
  EXPECT_EQ(median_of_rounds({round_with(200, 1), shorter}).window_instructions.value, 200);
}

} // namespace
