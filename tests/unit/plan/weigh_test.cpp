// What a sample says of a body's graph.
#include "graphs.h"
#include "plan/condense.h"
#include "plan/weigh.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

// Blocks 0 -> 1 -> 3 and 0 -> 2 -> 3 of 96 bytes one after the other, so that each has a line with its neighbour.
struct Diamond {
  CutGraph graph;
  FootprintMap footprint;
  Trace trace;
  Diamond() {
    for (uint32_t block = 0; block != 4; ++block) {
      test::add_node(graph, 0, 0);
      footprint.push_back({{{4096 + 96 * block, 96, 10}}});
    }
    for (auto [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}})
      test::add_edge(graph, uint32_t(from), uint32_t(to));
  }
  void run(std::initializer_list<BlockId> blocks) {
    const uint64_t begin = trace.events.size();
    trace.events.insert(trace.events.end(), blocks);
    trace.packets.push_back({0, uint32_t(trace.packets.size()), begin, trace.events.size()});
  }
};

double lines(const CutGraph& graph, FootprintModel model) {
  const Condensed condensed = condense(graph, model, 1);
  std::vector<uint32_t> all(condensed.groups.size());
  for (uint32_t g = 0; g != all.size(); ++g)
    all[g] = g;
  return condensed.lines_of(all).of_batch(condensed.weights);
}

TEST(Weigh, LinesOfNeighboursAreCountedOnce) {
  Diamond diamond;
  diamond.run({0, 1, 3}); // bytes 0 to 192 and 288 to 384: lines 0, 1, 2, 4, 5
  ASSERT_EQ(weigh_graph(diamond.graph, 0, diamond.trace, diamond.footprint), 1u);
  EXPECT_EQ(diamond.graph.nodes[0].lines.size(), 2u);
  EXPECT_EQ(diamond.graph.nodes[1].lines.size(), 2u);
  EXPECT_DOUBLE_EQ(lines(diamond.graph, FootprintModel::PerVisit), 5);
  EXPECT_DOUBLE_EQ(lines(diamond.graph, FootprintModel::Batch), 5);
}

TEST(Weigh, WitnessesAreSpreadOverTheSample) {
  Diamond diamond;
  for (int packet = 0; packet != 1000; ++packet)
    if (packet < 500)
      diamond.run({0, 1, 3});
    else
      diamond.run({0, 2, 3}); // bytes 192 to 288: lines 3, and 4, which the last block has, too
  weigh_graph(diamond.graph, 0, diamond.trace, diamond.footprint);
  EXPECT_EQ(diamond.graph.witnesses, most_witnesses);
  EXPECT_EQ(diamond.graph.nodes[1].lines.front().ran.count(), most_witnesses / 2);
  EXPECT_DOUBLE_EQ(diamond.graph.edges[0].crossings, 0.5);
  // One packet runs lines 0, 1, 4 and 5, and 2 or 3.
  EXPECT_DOUBLE_EQ(lines(diamond.graph, FootprintModel::Batch), 5);
  EXPECT_DOUBLE_EQ(lines(diamond.graph, FootprintModel::PerVisit), 6);
}

TEST(Weigh, APacketThatPassesAGateIsAlone) {
  Diamond diamond;
  diamond.graph.gates = {2};
  for (int packet = 0; packet != 10; ++packet)
    if (packet == 3)
      diamond.run({0, 2, 3});
    else
      diamond.run({0, 1, 3});
  weigh_graph(diamond.graph, 0, diamond.trace, diamond.footprint);
  EXPECT_DOUBLE_EQ(diamond.graph.alone, 0.1);
}

TEST(Weigh, TwiceIsAsOnce) {
  Diamond diamond;
  diamond.run({0, 1, 3});
  weigh_graph(diamond.graph, 0, diamond.trace, diamond.footprint);
  weigh_graph(diamond.graph, 0, diamond.trace, diamond.footprint);
  EXPECT_EQ(diamond.graph.lines, 5u);
  EXPECT_EQ(diamond.graph.nodes[0].visits, 1u);
}

} // namespace
