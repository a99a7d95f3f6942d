// What packets ran, by stage and time; what none ran is not there.
#include "report/path_file.h"

#include "plan/weigh.h"

#include "llvm/Support/JSON.h"

#include <gmock/gmock.h>

#include "workspaces.h"

using namespace heddle;
using testing::ElementsAre;
using testing::Pair;

namespace {

// Three blocks in a row and one beside them; ten, twenty, thirty and forty instructions.
class PacketPath : public testing::Test {
protected:
  PacketPath() {
    CutGraph graph;
    graph.body = "heddle.body.0";
    graph.contexts.push_back({0, 0, "heddle.body.0"});
    for (uint32_t block = 0; block != 4; ++block) {
      CutNode node;
      node.block = block;
      node.function = "f";
      graph.nodes.push_back(node);
      study_.footprint.push_back({{{0x1000 * (block + 1), 64, 10 * (block + 1)}}});
    }
    for (auto [from, to] : {std::pair(0U, 1U), {1U, 2U}, {0U, 3U}}) {
      CutEdge edge;
      edge.from = edge.site_from = from;
      edge.to = edge.site_to = to;
      graph.edges.push_back(edge);
    }
    graph.exits = {2, 3};
    for (uint32_t batch : {0, 0, 1})
      add_packet(batch);
    weigh_graph(graph, 0, trace_, study_.footprint);
    study_.graphs.push_back(graph);
    plan_.bodies.emplace_back().body = "heddle.body.0";
    plan_.bodies[0].sites.push_back({0, 1, 2, 1, "f", "f.c:3"});
  }

  void add_packet(uint32_t batch) {
    const uint64_t begin = trace_.events.size();
    trace_.events.insert(trace_.events.end(), {0, 1, 2});
    trace_.packets.push_back({0, batch, begin, begin + 3});
  }

  Trace trace_;
  Study study_;
  Plan plan_;
};

TEST_F(PacketPath, BlocksHaveTheirStageWeightAndTime) {
  const std::vector<BodyPath> paths = llvm::cantFail(packet_paths(trace_, study_, plan_));
  ASSERT_EQ(paths.size(), 1U);
  ASSERT_EQ(paths[0].nodes.size(), 3U); // no packet ran the fourth
  const PathNode& last = paths[0].nodes[2];
  EXPECT_EQ(last.block, 2U);
  EXPECT_EQ(last.stage, 1U);
  EXPECT_EQ(last.visits, 3U);
  EXPECT_EQ(last.instructions, 30);
  EXPECT_EQ(last.lines, 1);
  EXPECT_DOUBLE_EQ(last.when, 0.5);
  EXPECT_EQ(paths[0].nodes[0].stage, 0U);
}

TEST_F(PacketPath, BatchesAreCountedByTheirPackets) {
  const std::vector<BodyPath> paths = llvm::cantFail(packet_paths(trace_, study_, plan_));
  EXPECT_THAT(paths[0].batches, ElementsAre(Pair(1, 1), Pair(2, 1)));
}

TEST_F(PacketPath, ASiteThatIsNowhereIsAnError) {
  plan_.bodies[0].sites[0].to = 9;
  auto paths = packet_paths(trace_, study_, plan_);
  ASSERT_FALSE(bool(paths));
  EXPECT_THAT(llvm::toString(paths.takeError()), testing::HasSubstr("lies on no edge of the body"));
}

TEST(PathFile, FunctionsAreNamedAsWritten) {
  Plan plan = test::staged_plan();
  plan.bodies[0].contexts.push_back({0, 1, "_ZN5table4findEj"});
  test::WorkFolder folder(plan);
  const llvm::json::Object document = folder.document();
  const llvm::json::Object& body = *(*document.getObject("plan")->getArray("bodies"))[0].getAsObject();
  EXPECT_EQ((*body.getArray("contexts"))[1].getAsObject()->getString("name"),
            llvm::StringRef("table::find(unsigned int)"));
}

} // namespace
