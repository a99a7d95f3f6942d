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

// Two look-ups, the second made by so many of a hundred packets.
CutGraph two_look_ups(uint64_t second) {
  CutGraph graph = test::chain(6, 1);
  wait_behind(graph, 1);
  wait_behind(graph, 3);
  graph.nodes[3].visits = second;
  graph.companions.push_back({1, 3, "", 8});
  test::add_window(graph, "out", {5});
  return graph;
}

TEST(Hide, AddressesThatAreKnownTogetherAreFetchedTogether) {
  const Hiding hiding = hide(two_look_ups(100));
  ASSERT_EQ(hiding.loads.size(), 2u);
  EXPECT_TRUE(hiding.loads[0].with.empty());
  EXPECT_TRUE(hiding.loads[1].hidden);
  EXPECT_THAT(hiding.loads[1].with, ElementsAre(0u));
  EXPECT_EQ(hiding.sites.size(), 2u); // behind the first load, and in front of the output
  EXPECT_TRUE(hiding.apart.empty());
}

TEST(Hide, WhatFewPacketsNeedIsNotFetchedByAll) {
  const Hiding hiding = hide(two_look_ups(10));
  EXPECT_TRUE(hiding.loads[1].hidden);
  EXPECT_TRUE(hiding.loads[1].with.empty());
  ASSERT_EQ(hiding.apart.size(), 1u);
  EXPECT_EQ(hiding.apart[0].first, 1u);
  EXPECT_THAT(hiding.apart[0].second, HasSubstr("too few packets need it"));
}

TEST(Hide, AnAddressThatIsNotKnownIsWaitedForByItself) {
  CutGraph graph = two_look_ups(100);
  graph.companions[0].obstacle = "its address depends on the way there";
  const Hiding hiding = hide(graph);
  EXPECT_TRUE(hiding.loads[1].with.empty());
  ASSERT_EQ(hiding.apart.size(), 1u);
  EXPECT_THAT(hiding.apart[0].second, HasSubstr("load.c:1: its address depends on the way there"));
}

TEST(Hide, NoAddressIsMadeEarlyOfWhatPacketsReadInOrder) {
  CutGraph graph = two_look_ups(100);
  graph.companions[0].reads = {2};
  EXPECT_THAT(hide(graph).loads[1].with, ElementsAre(0u));
  test::add_window(graph, "count", {2});
  const Hiding hiding = hide(graph);
  EXPECT_TRUE(hiding.loads[1].with.empty());
  EXPECT_THAT(hiding.apart[0].second, HasSubstr("because of count"));
}

TEST(Hide, ALoadInOrderedCodeIsFetchedAlong) {
  CutGraph graph = two_look_ups(100);
  test::add_edge(graph, 4, 3);
  test::add_window(graph, "count", {4});
  const Hiding hiding = hide(graph);
  EXPECT_TRUE(hiding.loads[1].hidden);
  EXPECT_THAT(hiding.loads[1].with, ElementsAre(0u));
}

TEST(Hide, WhatIsFetchedAlongIsCheckedInAnEditedPlan) {
  const CutGraph graph = two_look_ups(100);
  PlanOptions options;
  options.budget.lines = 1000;
  const BodyPlan plan = llvm::cantFail(make_plan("program", {graph}, options)).bodies.front();
  ASSERT_THAT(plan.loads[1].with, ElementsAre(0u));
  EXPECT_FALSE(bool(check_plan(plan, graph)));
  BodyPlan edited = plan;
  edited.loads[1].with = {1};
  EXPECT_THAT(llvm::toString(check_plan(edited, graph)), HasSubstr("for which packets do not step aside"));
  CutGraph other = graph;
  other.companions[0].obstacle = "its address depends on the way there";
  EXPECT_THAT(llvm::toString(check_plan(plan, other)), HasSubstr("and it cannot be: its address depends"));
}

TEST(Hide, FetchingAlongCanBeSwitchedOff) {
  PlanOptions options;
  options.budget.lines = 1000;
  options.fetch_along = false;
  const BodyPlan plan = llvm::cantFail(make_plan("program", {two_look_ups(100)}, options)).bodies.front();
  EXPECT_TRUE(plan.loads[1].hidden);
  EXPECT_TRUE(plan.loads[1].with.empty());
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
