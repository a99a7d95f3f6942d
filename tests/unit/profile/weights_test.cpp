#include "profile/weights.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Weights, VisitsCostAndHeat) {
  FootprintMap map(3);
  map[0].ranges = {{0x1000, 64, 16}};
  map[1].ranges = {{0x1030, 40, 10}}; // across a line
  map[2].ranges = {{0x2000, 16, 4}};
  Trace trace;
  trace.events = {0, 1, 1, 0};
  trace.packets = {{0, 0, 0, 3}, {0, 0, 3, 4}};
  std::vector<BlockWeight> w = weigh_blocks(trace, map);
  EXPECT_EQ(w[0].visits, 2u);
  EXPECT_EQ(w[1].visits, 2u);
  EXPECT_EQ(w[2].visits, 0u);
  EXPECT_DOUBLE_EQ(w[0].cost, 1);
  EXPECT_DOUBLE_EQ(w[1].cost, 2);
  EXPECT_DOUBLE_EQ(w[0].heat, 16);
  EXPECT_DOUBLE_EQ(w[1].heat, 10);
  EXPECT_DOUBLE_EQ(w[2].heat, 0);
}

TEST(Weights, EmptyTraceHasNoHeat) {
  FootprintMap map(1);
  map[0].ranges = {{0x1000, 64, 16}};
  EXPECT_DOUBLE_EQ(weigh_blocks(Trace{}, map)[0].heat, 0);
}

} // namespace
} // namespace heddle
