// Whatever the graph, every policy gives a legal plan within its budget.
#include "graphs.h"
#include "plan/policy.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace heddle;

namespace {

class LegalStages : public testing::TestWithParam<const char*> {};

void expect_legal(const CutGraph& graph, const std::vector<unsigned>& stages) {
  for (const CutEdge& edge : graph.edges) {
    EXPECT_LE(stages[edge.from], stages[edge.to]);
    if (!edge.site_possible) EXPECT_EQ(stages[edge.from], stages[edge.to]);
  }
  for (const SharedLocation& location : graph.locations)
    for (const LocationAccess& access : location.accesses)
      EXPECT_EQ(stages[access.node], stages[location.accesses[0].node]) << location.name;
}

void expect_dense(const std::vector<unsigned>& stages) {
  unsigned last = *std::max_element(stages.begin(), stages.end());
  for (unsigned stage = 0; stage <= last; ++stage)
    EXPECT_TRUE(std::count(stages.begin(), stages.end(), stage)) << "stage " << stage << " is empty";
}

TEST_P(LegalStages, OnRandomGraphs) {
  auto policy = llvm::cantFail(make_policy(GetParam()));
  for (uint64_t seed = 0; seed != 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CutGraph graph = test::random_graph(seed, 20 + unsigned(seed) * 5);
    if (seed % 3 == 0) graph.edges[seed % graph.edges.size()].site_possible = false;
    Condensed condensed = condense(graph);
    std::vector<unsigned> stages = policy->stages(condensed, Budget{30, 60});
    expect_legal(graph, node_stages(condensed, stages));
    expect_dense(stages);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, LegalStages,
                         testing::Values("optimistic-bound", "greedy-heat", "conservative", "finest", "none"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Budget, IsKeptUnlessOneGroupExceedsIt) {
  auto policy = llvm::cantFail(make_policy("optimistic-bound"));
  for (uint64_t seed = 100; seed != 115; ++seed) {
    Condensed condensed = condense(test::random_graph(seed, 120));
    std::vector<unsigned> stages = policy->stages(condensed, Budget{30, 100});
    std::vector<CodeLines> lines(condensed.groups.size(), CodeLines(condensed.lines));
    std::vector<double> largest(condensed.groups.size());
    for (size_t g = 0; g != stages.size(); ++g) {
      lines[stages[g]].add(condensed.groups[g].lines);
      largest[stages[g]] = std::max(largest[stages[g]], condensed.groups[g].cost);
    }
    for (size_t s = 0; s != lines.size(); ++s)
      EXPECT_LE(lines[s].of_batch(condensed.weights), std::max(30.0, largest[s]) + 1e-6)
          << "seed " << seed << ", stage " << s;
  }
}

TEST(Search, IsDeterministic) {
  auto policy = llvm::cantFail(make_policy("optimistic-bound"));
  Condensed condensed = condense(test::random_graph(7, 300));
  EXPECT_EQ(policy->stages(condensed, Budget{40, 300}), policy->stages(condensed, Budget{40, 300}));
}

TEST(Search, ALongSearchCoversAboutAsMuchAsADiveOrMore) {
  auto policy = llvm::cantFail(make_policy("optimistic-bound"));
  for (uint64_t seed = 0; seed != 6; ++seed) {
    Condensed condensed = condense(test::random_graph(seed, 100));
    auto first_heat = [&](unsigned expansions) {
      std::vector<unsigned> stages = policy->stages(condensed, Budget{60, expansions});
      double heat = 0;
      for (size_t g = 0; g != stages.size(); ++g)
        if (stages[g] == 0) heat += condensed.groups[g].heat;
      return heat;
    };
    EXPECT_GE(first_heat(500), 0.98 * first_heat(1)) << "seed " << seed;
  }
}

TEST(UnknownPolicy, IsNamedWithTheChoices) {
  auto policy = make_policy("best");
  ASSERT_FALSE(bool(policy));
  std::string text = llvm::toString(policy.takeError());
  EXPECT_NE(text.find("'best'"), std::string::npos);
  EXPECT_NE(text.find("optimistic-bound"), std::string::npos);
}

} // namespace
