// In which stages packets run whose loads are hidden.
#include "graphs.h"

#include "plan/hide.h"
#include "plan/make_plan.h"
#include "plan/sites.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

void wait_behind(CutGraph& graph, uint32_t node) {
  graph.nodes[node].expensive = true;
  graph.nodes[node].load_at = "load.c:" + std::to_string(node);
}

Hiding hide(const CutGraph& graph) {
  return plan_hiding(graph, {}, 100, 64);
}

TEST(Hide, StraightCodeIsFissioned) {
  CutGraph graph = test::chain(4, 1);
  wait_behind(graph, 1);
  test::add_window(graph, "out", {3});
  Hiding hiding = hide(graph);
  EXPECT_THAT(hiding.stages, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(hiding.ordered, ElementsAre(true, false, true));
  EXPECT_EQ(hiding.sites.size(), 2u);
}

TEST(Hide, WhatWaitsForTheLoadMayBeOrderedItself) {
  CutGraph graph = test::chain(3, 1);
  wait_behind(graph, 1);
  test::add_window(graph, "out", {2});
  Hiding hiding = hide(graph);
  EXPECT_THAT(hiding.stages, ElementsAre(0, 0, 1));
  EXPECT_THAT(hiding.ordered, ElementsAre(true, true));
}

TEST(Hide, ALoopWithoutWindowsIsFreeAndHoldsItsSite) {
  CutGraph graph = test::chain(4, 1);
  test::add_edge(graph, 2, 1);
  wait_behind(graph, 1);
  test::add_window(graph, "out", {3});
  Hiding hiding = hide(graph);
  EXPECT_THAT(hiding.stages, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(hiding.ordered, ElementsAre(true, false, true));
  // Into the free stage, behind the load, into the last.
  ASSERT_EQ(hiding.sites.size(), 3u);
  EXPECT_TRUE(hiding.loads.front().hidden);
}

TEST(Hide, ALoopWithAWindowKeepsItsLoad) {
  CutGraph graph = test::chain(4, 1);
  test::add_edge(graph, 2, 1);
  wait_behind(graph, 1);
  test::add_window(graph, "count", {2});
  Hiding hiding = hide(graph);
  EXPECT_TRUE(hiding.sites.empty());
  ASSERT_EQ(hiding.loads.size(), 1u);
  EXPECT_FALSE(hiding.loads.front().hidden);
  EXPECT_THAT(hiding.loads.front().reason, HasSubstr("because of count"));
}

TEST(Hide, LookUpsOnBothSidesOfAWindowAreInTwoFreeStages) {
  CutGraph graph = test::chain(7, 1);
  wait_behind(graph, 1);
  test::add_window(graph, "count", {3});
  wait_behind(graph, 4);
  test::add_window(graph, "out", {6});
  Hiding hiding = hide(graph);
  EXPECT_THAT(hiding.stages, ElementsAre(0, 0, 1, 2, 2, 3, 4));
  EXPECT_THAT(hiding.ordered, ElementsAre(true, false, true, false, true));
}

TEST(Hide, ABodyThatCannotBeInterleavedIsLeft) {
  CutGraph graph = test::chain(3, 1);
  wait_behind(graph, 1);
  graph.not_interleaved = "an exception may leave the packet body (f.c:7)";
  Hiding hiding = hide(graph);
  EXPECT_TRUE(hiding.sites.empty());
  EXPECT_EQ(hiding.loads.front().reason, graph.not_interleaved);
}

TEST(Hide, FunctionsThatCannotJoinTheBodyHoldNoSite) {
  CutGraph graph = test::chain(4, 1);
  graph.contexts.push_back({0, 0, "varargs"});
  graph.contexts.back().joins = false;
  for (CutEdge& edge : graph.edges)
    if (edge.from == 1) edge.site_context = 1;
  wait_behind(graph, 1);
  Hiding hiding = hide(graph);
  EXPECT_TRUE(hiding.sites.empty());
  EXPECT_THAT(hiding.loads.front().reason, HasSubstr("no place"));
}

TEST(Hide, AnEditedPlanIsChecked) {
  CutGraph graph = test::chain(5, 1);
  test::add_edge(graph, 2, 1);
  wait_behind(graph, 1);
  test::add_window(graph, "out", {3});
  PlanOptions options;
  options.budget.lines = 1000;
  BodyPlan plan = llvm::cantFail(make_plan("program", {graph}, options)).bodies.front();
  ASSERT_TRUE(plan.interleaved);
  EXPECT_FALSE(bool(check_plan(plan, graph)));
  BodyPlan free = plan;
  free.stages[2].ordered = false;
  EXPECT_THAT(llvm::toString(check_plan(free, graph)),
              HasSubstr("touch out in a stage that they pass in any order"));
  BodyPlan first = plan;
  first.stages[0].ordered = false;
  EXPECT_THAT(llvm::toString(check_plan(first, graph)), HasSubstr("begin in any order"));
  BodyPlan within = plan;
  within.stages[1].ordered = true;
  EXPECT_THAT(llvm::toString(check_plan(within, graph)), HasSubstr("lies within stage 1"));
}

} // namespace
