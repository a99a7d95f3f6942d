// The shares of a packet's cycles, as the plan has them.
#include "report/cycles.h"

#include <gmock/gmock.h>

using namespace heddle;

namespace {

BodyPlan body(uint64_t packets, double rest) {
  BodyPlan body;
  body.packets = packets;
  body.cycles_before = {.front_end = 200, .data = 300, .switching = 0, .rest = rest};
  body.cycles_after = {.front_end = 20, .data = 30, .switching = 40, .rest = rest};
  return body;
}

TEST(Cycles, AreThePlans) {
  Plan plan;
  plan.bodies = {body(10, 1000)};
  const CyclesBeforeAfter cycles = model_cycles(plan);
  EXPECT_DOUBLE_EQ(cycles.before.front_end, 200);
  EXPECT_DOUBLE_EQ(cycles.after.switching, 40);
  EXPECT_DOUBLE_EQ(cycles.before.total(), 1500);
  EXPECT_DOUBLE_EQ(cycles.after.total(), 1090);
}

TEST(Cycles, BodiesCountByTheirPackets) {
  Plan plan;
  plan.bodies = {body(10, 1000), body(30, 100)};
  EXPECT_DOUBLE_EQ(model_cycles(plan).before.rest, 0.25 * 1000 + 0.75 * 100);
}

TEST(Cycles, ASampleWithoutPacketsHasNone) {
  EXPECT_EQ(model_cycles(Plan()).before.total(), 0);
}

} // namespace
