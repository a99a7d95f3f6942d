#include "graphs.h"

#include "plan/condense.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

TEST(Condense, AWindowTakesInWhatLiesBetweenItsAccesses) {
  CutGraph graph = test::chain(6, 1);
  test::add_window(graph, "table", {1, 4});
  Condensed condensed = condense(graph);
  ASSERT_EQ(condensed.groups.size(), 3u);
  for (uint32_t n : {2u, 3u, 4u})
    EXPECT_EQ(condensed.group_of[n], condensed.group_of[1]);
  EXPECT_NE(condensed.group_of[0], condensed.group_of[1]);
  EXPECT_NE(condensed.group_of[5], condensed.group_of[1]);
}

TEST(Condense, AccessesOnExclusiveBranchesJoinButNotTheirSurroundings) {
  // 0 -> 1 -> 2 -> 5 and 0 -> 3 -> 4 -> 5; the location is touched in 1 and in 4.
  CutGraph graph = test::chain(1, 1);
  for (int n = 1; n != 6; ++n)
    test::add_node(graph, 1, 10);
  for (auto [from, to] : {std::pair{0, 1}, {1, 2}, {2, 5}, {0, 3}, {3, 4}, {4, 5}})
    test::add_edge(graph, uint32_t(from), uint32_t(to));
  test::add_window(graph, "counter", {1, 4});
  Condensed condensed = condense(graph);
  EXPECT_EQ(condensed.group_of[1], condensed.group_of[4]);
  EXPECT_EQ(condensed.groups.size(), 5u);
}

TEST(Condense, OutputMayComeAfterAReceiveAndNotBefore) {
  CutGraph graph = test::chain(4, 1);
  test::add_received_ahead(graph, 1, 3);
  EXPECT_EQ(condense(graph).groups.size(), 4u);
  test::add_received_ahead(graph, 2, 1); // sends, then receives
  Condensed condensed = condense(graph);
  EXPECT_EQ(condensed.groups.size(), 3u);
  EXPECT_EQ(condensed.group_of[1], condensed.group_of[2]);
}

TEST(Condense, RelaxedLocationsJoinNothing) {
  CutGraph graph = test::chain(4, 1);
  test::add_window(graph, "counter", {0, 3});
  graph.locations[0].verdict = "commutative";
  EXPECT_EQ(condense(graph).groups.size(), 4u);
}

TEST(Condense, ALoopIsOneGroup) {
  CutGraph graph = test::chain(5, 1);
  test::add_edge(graph, 3, 1);
  Condensed condensed = condense(graph);
  EXPECT_EQ(condensed.groups.size(), 3u);
  EXPECT_EQ(condensed.groups[1].nodes.size(), 3u);
}

TEST(Condense, AnEdgeWithoutPlaceForASiteJoinsItsEnds) {
  CutGraph graph = test::chain(3, 1);
  graph.edges[1].site_possible = false;
  EXPECT_EQ(condense(graph).groups.size(), 2u);
}

TEST(Condense, GroupsAreInTopologicalOrder) {
  for (uint64_t seed = 0; seed != 20; ++seed)
    for (const CutLink& link : condense(test::random_graph(seed, 80)).links)
      EXPECT_LT(link.from, link.to);
}

TEST(Condense, ALongChainNeedsNoDeepStack) {
  EXPECT_EQ(condense(test::chain(50000, 1)).groups.size(), 50000u);
}

TEST(Footprint, OfABatchCountsRareCodeByTheChanceThatThePacketsMeetIt) {
  CutGraph graph = test::chain(3, 10);
  test::set_lines(graph, 1, 10, 0.0625);
  test::set_lines(graph, 2, 10, 0);
  Condensed batch = condense(graph, FootprintModel::Batch, 32);
  EXPECT_DOUBLE_EQ(batch.groups[0].cost, 10);
  EXPECT_NEAR(batch.groups[1].cost, 8.73, 0.01);
  EXPECT_DOUBLE_EQ(batch.groups[2].cost, 0);
  Condensed visit = condense(graph, FootprintModel::PerVisit);
  EXPECT_DOUBLE_EQ(visit.groups[2].cost, 10);
}

} // namespace
