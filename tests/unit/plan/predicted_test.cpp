// What the models say a plan takes, and what follows from it.
#include "graphs.h"

#include "plan/make_plan.h"

#include <gmock/gmock.h>

using namespace heddle;

namespace {

// Ten blocks of 100 lines, which cost so much more in a circle of all than by themselves.
PlanOptions options(double refill) {
  PlanOptions options;
  options.refill_cycles = [refill](double lines) { return lines > 512 ? refill : 0.0; };
  return options;
}

BodyPlan plan(const CutGraph& graph, const PlanOptions& options) {
  return llvm::cantFail(make_plan("program", {graph}, options)).bodies[0];
}

// The load behind the fifth block, which waits for memory.
CutGraph graph_with_load(PlanOptions& options, double memory) {
  CutGraph graph = test::chain(10, 100);
  graph.nodes[4].expensive = true;
  graph.nodes[4].opened_load = 0;
  OpenedLoad load;
  load.accesses = 1;
  load.memory = 1;
  options.openings.loads = {load};
  options.memory.memory = memory;
  return graph;
}

TEST(Predicted, CutsSaveMoreInLargerBatches) {
  const BodyPlan body = plan(test::chain(10, 100), options(10));
  ASSERT_FALSE(body.sites.empty());
  ASSERT_EQ(body.predicted.size(), 6u);
  double last = -1;
  for (const PredictedCycles& row : body.predicted) {
    EXPECT_GE(row.original, row.planned);
    EXPECT_GT(row.original - row.planned, last);
    last = row.original - row.planned;
  }
  EXPECT_EQ(body.predicted[4].batch, 32u);
  EXPECT_NEAR(last, body.cycles_saved, body.cycles_saved / 2); // which is for 32
}

TEST(Predicted, SharesMakeTheSum) {
  PlanOptions with = options(10);
  const BodyPlan body = plan(graph_with_load(with, 300), with);
  ASSERT_EQ(body.predicted[4].batch, 32u);
  EXPECT_DOUBLE_EQ(body.cycles_before.total(), body.predicted[4].original);
  EXPECT_DOUBLE_EQ(body.cycles_before.switching, 0);
  EXPECT_GT(body.cycles_before.front_end, body.cycles_after.front_end);
  EXPECT_GT(body.cycles_after.switching, 0);
}

TEST(Predicted, WhatIsNotPlannedTakesWhatItTook) {
  const BodyPlan body = plan(test::chain(10, 10), options(10));
  ASSERT_TRUE(body.sites.empty());
  EXPECT_EQ(body.least_batch, 0u);
  for (const PredictedCycles& row : body.predicted)
    EXPECT_EQ(row.original, row.planned);
}

TEST(Predicted, LoadsThatStayCountOnBothSides) {
  PlanOptions more = options(10);
  more.waits_elsewhere = {{LoadCost{1, 500}}};
  const auto with = plan(test::chain(10, 100), more).predicted[0],
             without = plan(test::chain(10, 100), options(10)).predicted[0];
  EXPECT_GT(with.original, without.original);
  EXPECT_NEAR(with.original - without.original, with.planned - without.planned, 1e-9);
}

TEST(Predicted, LibraryFunctionsTakeTheirTimeOnBothSides) {
  PlanOptions more = options(10);
  more.instructions_in_calls = {600};
  const auto with = plan(test::chain(10, 100), more).predicted[0],
             without = plan(test::chain(10, 100), options(10)).predicted[0];
  EXPECT_NEAR(with.original - without.original, 600 / more.memory.per_cycle, 1e-9);
  EXPECT_NEAR(with.planned - without.planned, 600 / more.memory.per_cycle, 1e-9);
}

TEST(LeastBatch, IsWhereCrossingsArePaid) {
  PlanOptions cheap = options(1), dear = options(1);
  dear.crossing_cycles = 700;
  const BodyPlan often = plan(test::chain(10, 100), cheap), seldom = plan(test::chain(10, 100), dear);
  ASSERT_FALSE(often.sites.empty());
  ASSERT_FALSE(seldom.sites.empty());
  EXPECT_EQ(often.least_batch, 2u);
  EXPECT_GT(seldom.least_batch, 2u);
  EXPECT_LE(seldom.least_batch, 32u);
  // Cuts that were asked for whatever they cost are used whatever the batch.
  dear.policy = "finest";
  EXPECT_EQ(plan(test::chain(10, 100), dear).least_batch, 0u);
}

TEST(CutsAndLoads, BothWherePacketsStepAsideCheaply) {
  PlanOptions given = options(10);
  const CutGraph graph = graph_with_load(given, 5000);
  const BodyPlan body = plan(graph, given);
  EXPECT_TRUE(body.interleaved);
  EXPECT_GT(body.cycles_saved, 0);
}

TEST(CutsAndLoads, LoadsAloneWhereSteppingAsideAtCutsCostsMoreThanTheySave) {
  PlanOptions given = options(1);
  const CutGraph graph = graph_with_load(given, 20000);
  given.memory.step_instructions = 6000; // 2,000 cycles; all cuts save less than 1,000
  Plan made = llvm::cantFail(make_plan("program", {graph}, given));
  const BodyPlan& body = made.bodies[0];
  EXPECT_TRUE(body.interleaved);
  EXPECT_EQ(body.cycles_saved, 0);
  EXPECT_THAT(made.remarks, testing::Contains(testing::Field(&Remark::code, "hidden-not-staged")));
}

// A chain of ten times twenty lines, on a machine where all of them cost nothing.
PlanOptions cheap_code() {
  PlanOptions options;
  options.refill_cycles = [](double) { return 0.0; };
  options.icache_sets = 64;
  return options;
}

TEST(Budget, ThatIsGivenDecidesHoweverSmallAndIsNotWhatIsPredicted) {
  PlanOptions given = cheap_code();
  given.budget.lines = 20;
  given.price_by_budget = true;
  const BodyPlan body = plan(test::chain(10, 20), given);
  EXPECT_EQ(body.stages.size(), 10u);
  EXPECT_LT(body.cycles_saved, 0) << "predicted: only crossings";
  given.price_by_budget = false;
  EXPECT_TRUE(plan(test::chain(10, 20), given).sites.empty());
}

TEST(Budget, ThatIsNotGivenIsTheCheapest) {
  PlanOptions chosen = cheap_code();
  chosen.refill_cycles = [](double lines) { return lines > 300 ? 12.0 : 0.0; };
  chosen.icache_sets = 0;
  const CutGraph graph = test::chain(100, 10); // too many cuts to look at all
  const BodyPlan full = plan(graph, chosen);   // of 512 lines: no stage fits
  chosen.choose_budget = true;
  const BodyPlan best = plan(graph, chosen);
  EXPECT_GT(best.cycles_saved, full.cycles_saved);
  for (const PlannedStage& stage : best.stages)
    EXPECT_LE(stage.cost, 300);
}

} // namespace
