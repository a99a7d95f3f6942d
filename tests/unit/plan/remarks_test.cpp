// When a body is not staged, the plan says why.
#include "graphs.h"
#include "plan/make_plan.h"

#include <gmock/gmock.h>

using namespace heddle;

namespace {

Plan plan_of(const CutGraph& graph, double budget, PlanOptions options = {}) {
  options.budget.lines = budget;
  return llvm::cantFail(make_plan("p", {graph}, options));
}

std::string codes(const Plan& plan) {
  std::string codes;
  for (const Remark& remark : plan.remarks) {
    codes += remark.code + " ";
    EXPECT_FALSE(remark.hint.empty());
  }
  return codes;
}

TEST(Remarks, NoneForABodyThatIsStaged) {
  Plan plan = plan_of(test::chain(20, 40), 200);
  EXPECT_EQ(codes(plan), "");
  EXPECT_EQ(plan.bodies[0].stages.size(), 4u);
  EXPECT_EQ(plan.bodies[0].sites.size(), 3u);
  EXPECT_GT(plan.bodies[0].cycles_saved, 0);
}

TEST(Remarks, PathFitsCache) {
  Plan plan = plan_of(test::chain(20, 4), 200);
  EXPECT_EQ(codes(plan), "path-fits-cache ");
  EXPECT_FALSE(plan.stages_anything());
}

TEST(Remarks, NoPackets) {
  CutGraph graph = test::chain(4, 100);
  for (CutNode& node : graph.nodes)
    node.visits = 0;
  EXPECT_EQ(codes(plan_of(graph, 10)), "no-packets ");
}

TEST(Remarks, NoLegalCut) {
  CutGraph graph = test::chain(4, 100);
  test::add_edge(graph, 3, 0);
  EXPECT_EQ(codes(plan_of(graph, 10)), "no-legal-cut ");
}

TEST(Remarks, WindowCoversBody) {
  CutGraph graph = test::chain(4, 100);
  test::add_window(graph, "the table", {0, 3});
  Plan plan = plan_of(graph, 10);
  EXPECT_EQ(codes(plan), "window-covers-body ");
  EXPECT_NE(plan.remarks[0].what.find("the table"), std::string::npos);
}

TEST(Remarks, OneStageWhenCrossingsCostMoreThanTheySave) {
  CutGraph graph = test::chain(10, 3);
  for (CutEdge& edge : graph.edges)
    edge.crossings = 40; // loops around the body
  Plan plan = plan_of(graph, 20);
  EXPECT_EQ(codes(plan), "one-stage ");
  EXPECT_FALSE(plan.stages_anything());
}

TEST(Remarks, WindowOverBudget) {
  CutGraph graph = test::chain(20, 40);
  test::add_window(graph, "the table", {8, 14});
  Plan plan = plan_of(graph, 200);
  EXPECT_EQ(codes(plan), "window-over-budget ");
  EXPECT_TRUE(plan.stages_anything());
}

TEST(Remarks, CutsAreKeptOnRequestWhateverTheyCost) {
  PlanOptions options;
  options.policy = "finest";
  EXPECT_EQ(plan_of(test::chain(20, 4), 200, options).bodies[0].stages.size(), 20u);
}

TEST(Pays, ASmallStageBesideALargeOneIsNotWorthItsCrossing) {
  CutGraph graph = test::chain(10, 40);
  test::set_lines(graph, 0,
                  1); // saves 12 cycles of refill for 16 of crossing, before a window over the budget
  test::add_window(graph, "the table", {1, 6});
  Plan plan = plan_of(graph, 200);
  EXPECT_EQ(plan.bodies[0].stages.size(), 2u);
}

} // namespace
