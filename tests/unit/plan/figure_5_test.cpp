// The paper's walkthrough (NanoPL, figure 5 and section 5.2): budget 9.
#include "graphs.h"
#include "plan/policy.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::ElementsAre;

namespace {

std::vector<unsigned> stages_by(llvm::StringRef name) {
  CutGraph graph = test::figure_5();
  Condensed condensed = condense(graph, FootprintModel::PerVisit);
  auto policy = llvm::cantFail(make_policy(name));
  return node_stages(condensed, policy->stages(condensed, Budget{9, 4000}));
}

TEST(Figure5, OptimisticBoundTakesTheRedPathFirst) {
  std::vector<unsigned> stages = stages_by("optimistic-bound");
  EXPECT_THAT(stages, ElementsAre(0, 0, 0, 1, 0, 1, 2, 2));
  CutGraph graph = test::figure_5();
  double cost = 0, heat = 0;
  for (size_t n = 0; n != stages.size(); ++n)
    if (stages[n] == 0) {
      cost += double(graph.nodes[n].lines.size());
      heat += graph.nodes[n].heat;
    }
  EXPECT_EQ(cost, 9);
  EXPECT_EQ(heat, 21);
}

TEST(Figure5, GreedyOnHeatTakesTheBluePathAndNeedsOneStageMore) {
  EXPECT_THAT(stages_by("greedy-heat"), ElementsAre(0, 0, 0, 0, 1, 2, 3, 3));
}

TEST(Figure5, OneExpansionIsEnoughHere) {
  CutGraph graph = test::figure_5();
  Condensed condensed = condense(graph, FootprintModel::PerVisit);
  auto policy = llvm::cantFail(make_policy("optimistic-bound"));
  EXPECT_THAT(node_stages(condensed, policy->stages(condensed, Budget{9, 1})),
              ElementsAre(0, 0, 0, 1, 0, 1, 2, 2));
}

} // namespace
