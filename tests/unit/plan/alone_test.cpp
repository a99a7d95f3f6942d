// Packets that run alone gain nothing, and divide batches.
#include "graphs.h"

#include "plan/make_plan.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle;

namespace {

BodyPlan plan(double alone) {
  CutGraph graph = test::chain(10, 100);
  graph.alone = alone;
  PlanOptions options;
  options.refill_cycles = [](double lines) { return lines > 512 ? 10.0 : 0.0; };
  return llvm::cantFail(make_plan("program", {graph}, options)).bodies[0];
}

TEST(Alone, TheMorePacketsRunAloneTheLessIsSaved) {
  double last = HUGE_VAL;
  for (double alone : {0.0, 0.01, 0.1, 0.5}) {
    const BodyPlan body = plan(alone);
    EXPECT_LT(body.cycles_saved, last) << alone;
    EXPECT_EQ(body.cycles_before.total(), plan(0).cycles_before.total());
    last = body.cycles_saved;
  }
  // A thousand lines at ten cycles: a tenth of the packets pay for them as ever, the others once in nearly ten.
  EXPECT_NEAR(plan(0.1).cycles_after.front_end, 10000 * (0.1 + 0.9 * 0.1 / (1 - std::pow(0.9, 32))), 1);
}

TEST(Alone, WhereAllPacketsDoNothingIsStaged) {
  EXPECT_TRUE(plan(1).sites.empty());
}

} // namespace
