// The shares of a packet's cycles, by the planner's own prices.
#include "report/cycles.h"

#include <gmock/gmock.h>

using namespace heddle;

namespace {

const PlanOptions prices;

Plan plan_of_one_body() {
  Plan plan;
  plan.batch = 32;
  BodyPlan& body = plan.bodies.emplace_back();
  body.packets = 10;
  body.instructions = 3000;
  body.stages = {{8, 2000, 1.5, 2}, {4, 1000, 0, 1}};
  return plan;
}

TEST(Cycles, RefillsAndCrossingsAreTheFrontEndAndTheSwitching) {
  const CyclesBeforeAfter cycles = model_cycles(plan_of_one_body(), {200, 50}, prices);
  EXPECT_DOUBLE_EQ(cycles.before.front_end, 20 * second_level_cycles);
  EXPECT_DOUBLE_EQ(cycles.after.front_end, 5 * second_level_cycles);
  EXPECT_DOUBLE_EQ(cycles.before.switching, 0);
  EXPECT_DOUBLE_EQ(cycles.after.switching, 1.5 * prices.crossing_cycles);
  EXPECT_DOUBLE_EQ(cycles.before.rest, 1000);
  EXPECT_DOUBLE_EQ(cycles.after.rest, cycles.before.rest);
}

TEST(Cycles, AHiddenLoadTakesLessAndALeftOneAsMuch) {
  Plan plan = plan_of_one_body();
  BodyPlan& body = plan.bodies[0];
  body.interleaved = true;
  body.loads.resize(1);
  body.loads[0].accesses = 10;
  body.loads[0].stall = 300;
  const CyclesBeforeAfter left = model_cycles(plan, {}, prices);
  EXPECT_DOUBLE_EQ(left.before.data, 3000);
  body.loads[0].hidden = true;
  const CyclesBeforeAfter hidden = model_cycles(plan, {}, prices);
  EXPECT_DOUBLE_EQ(hidden.before.data, 3000);
  EXPECT_LT(hidden.after.data, 300);
  EXPECT_GT(hidden.after.switching, 0);
}

TEST(Cycles, BodiesCountByTheirPackets) {
  Plan plan = plan_of_one_body();
  plan.bodies.push_back(plan.bodies[0]);
  plan.bodies[1].packets = 30;
  plan.bodies[1].instructions = 300;
  EXPECT_DOUBLE_EQ(model_cycles(plan, {}, prices).before.rest, 0.25 * 1000 + 0.75 * 100);
}

TEST(Cycles, ASampleWithoutPacketsHasNone) {
  EXPECT_EQ(model_cycles(Plan(), {5, 5}, prices).before.total(), 0);
}

} // namespace
