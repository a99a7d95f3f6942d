#include "graphs.h"
#include "plan/policy.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::ElementsAre;

namespace {

TEST(Settle, ColdCodeMovesToWhereItNeedsFewerSites) {
  // 0 -> 1 -> 4 with a cold detour 0 -> 2 -> 3 -> 4: one site on it is enough, and it may lie anywhere.
  CutGraph graph = test::chain(2, 1);
  for (int n = 0; n != 2; ++n)
    test::add_node(graph, 0, 0, 0);
  test::add_node(graph, 1, 10);
  for (auto [from, to] : {std::pair{0, 2}, {2, 3}, {3, 4}})
    test::add_edge(graph, uint32_t(from), uint32_t(to), 0);
  test::add_edge(graph, 1, 4);
  Condensed condensed = condense(graph);
  std::vector<unsigned> stages(5);
  for (auto [node, stage] : {std::pair{0, 0}, {1, 0}, {2, 1}, {3, 2}, {4, 3}})
    stages[condensed.group_of[uint32_t(node)]] = unsigned(stage);
  settle_stages(condensed, {2, 1}, stages);
  std::vector<unsigned> settled = node_stages(condensed, stages);
  EXPECT_EQ(settled[4], 1u) << "the two numbers between were needed by cold code only";
  unsigned sites = 0;
  for (const CutEdge& edge : graph.edges)
    sites += settled[edge.from] < settled[edge.to];
  EXPECT_EQ(sites, 2u) << "one on the hot path, one on the detour";
}

TEST(Settle, HotCodeMovesOnlyWhereItFits) {
  CutGraph graph = test::chain(3, 4);
  graph.edges[0].crossings = 5; // a cut between 1 and 2 is cheaper
  Condensed condensed = condense(graph);
  std::vector<unsigned> stages{0, 1, 1};
  settle_stages(condensed, {8, 1}, stages);
  EXPECT_THAT(stages, ElementsAre(0, 0, 1));
  stages = {0, 1, 1};
  settle_stages(condensed, {7, 1}, stages);
  EXPECT_THAT(stages, ElementsAre(0, 1, 1));
}

TEST(Oversized, AGroupLargerThanTheBudgetIsAStageByItself) {
  CutGraph graph = test::chain(5, 3);
  test::set_lines(graph, 2, 40);
  Condensed condensed = condense(graph);
  auto policy = llvm::cantFail(make_policy("optimistic-bound"));
  EXPECT_THAT(policy->stages(condensed, {10, 100}), ElementsAre(0, 0, 1, 2, 2));
}

} // namespace
