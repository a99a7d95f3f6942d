// Lines are counted once, by who ran them.
#include "graphs.h"
#include "plan/condense.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

Witnesses half(bool upper) {
  Witnesses ran;
  for (unsigned witness = 0; witness != most_witnesses / 2; ++witness)
    ran.set(witness + (upper ? most_witnesses / 2 : 0));
  return ran;
}

const LineWeights one(most_witnesses, FootprintModel::Batch, 1);
const LineWeights pairs(most_witnesses, FootprintModel::Batch, 2);
const LineWeights ever(most_witnesses, FootprintModel::PerVisit, 2);

TEST(CodeLines, ExclusiveBranchesFillALineAndABlockBehindAnotherDoesNot) {
  CodeLines exclusive(1), behind(1);
  exclusive.add({{0, half(false)}, {0, half(true)}});
  behind.add({{0, half(false)}, {0, half(false)}});
  EXPECT_DOUBLE_EQ(exclusive.of_batch(one), 1);
  EXPECT_DOUBLE_EQ(behind.of_batch(one), 0.5);
  EXPECT_DOUBLE_EQ(behind.of_batch(pairs), 0.75);
}

TEST(CodeLines, GrowthIsWhatAddingAdds) {
  for (const LineWeights& weights : {pairs, ever}) {
    CodeLines lines(4);
    for (const std::vector<LineUse>& uses : std::vector<std::vector<LineUse>>{
             {{0, half(false)}, {1, {}}}, {{0, half(true)}, {1, half(true)}}, {{1, {}}, {3, {}}}}) {
      const double before = lines.of_batch(weights), growth = lines.growth(uses, weights);
      lines.add(uses);
      EXPECT_DOUBLE_EQ(lines.of_batch(weights), before + growth);
    }
  }
}

TEST(CodeLines, OfEveryVisitCountLinesThatNoWitnessRan) {
  CodeLines lines(2);
  lines.add({{1, {}}});
  EXPECT_DOUBLE_EQ(lines.of_batch(ever), 1);
  EXPECT_DOUBLE_EQ(lines.of_batch(pairs), 0);
}

TEST(CodeLines, OfAGroupAndOfItsNodesAreTheSame) {
  CutGraph graph = test::chain(4, 3);
  graph.nodes[2].lines = graph.nodes[1].lines; // a helper function that both call
  test::add_window(graph, "table", {1, 2});
  Condensed condensed = condense(graph);
  ASSERT_EQ(condensed.groups.size(), 3u);
  EXPECT_DOUBLE_EQ(condensed.groups[1].cost, 3);
  EXPECT_DOUBLE_EQ(condensed.lines_of({0, 1, 2}).of_batch(condensed.weights), 9);
}

} // namespace
