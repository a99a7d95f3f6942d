// The policy that NanoPL compares with (section 7.3): every possible path between two cuts fits.
#include "graphs.h"
#include "plan/policy.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace heddle;
using testing::ElementsAre;

namespace {

std::vector<unsigned> conservative(const CutGraph& graph, double budget) {
  Condensed condensed = condense(graph);
  return node_stages(condensed, llvm::cantFail(make_policy("conservative"))->stages(condensed, {budget, 1}));
}

TEST(Conservative, CountsCodeThatTheSampleNeverRan) {
  CutGraph graph = test::chain(3, 4);
  graph.nodes[1].visits = 0;
  graph.nodes[1].heat = 0;
  graph.nodes[1].lines.clear();
  EXPECT_THAT(conservative(graph, 8), ElementsAre(0, 0, 1));
}

TEST(Conservative, MeasuresPathsNotSums) {
  // Two exclusive branches of 4 lines each: no path is longer than 6.
  CutGraph graph = test::chain(1, 1);
  for (unsigned cost : {4, 4, 1})
    test::add_node(graph, cost, 10);
  for (auto [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}})
    test::add_edge(graph, uint32_t(from), uint32_t(to));
  EXPECT_THAT(conservative(graph, 6), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(conservative(graph, 5), ElementsAre(0, 0, 0, 1));
}

TEST(Conservative, NoPathInAStageExceedsTheBudget) {
  for (uint64_t seed = 0; seed != 20; ++seed) {
    CutGraph graph = test::random_graph(seed, 100);
    Condensed condensed = condense(graph);
    std::vector<unsigned> stages = llvm::cantFail(make_policy("conservative"))->stages(condensed, {20, 1});
    std::vector<double> path(stages.size());
    for (size_t g = 0; g != stages.size(); ++g) {
      bool extends = false;
      for (uint32_t in : condensed.groups[g].in)
        if (uint32_t from = condensed.links[in].from; stages[from] == stages[g]) {
          path[g] = std::max(path[g], path[from]);
          extends = true;
        }
      path[g] += condensed.groups[g].static_lines;
      if (extends) EXPECT_LE(path[g], 20) << "seed " << seed << ", group " << g;
    }
  }
}

TEST(Conservative, CutsMoreOftenThanTheHotPathPolicy) {
  CutGraph graph = test::figure_5();
  for (CutNode& node : graph.nodes)
    node.static_lines = 2 * double(node.lines.size()); // half of the code is cold
  Condensed condensed = condense(graph);
  auto count = [&](const char* name) {
    std::vector<unsigned> stages = llvm::cantFail(make_policy(name))->stages(condensed, {9, 100});
    return *std::max_element(stages.begin(), stages.end());
  };
  EXPECT_GT(count("conservative"), count("optimistic-bound"));
}

} // namespace
