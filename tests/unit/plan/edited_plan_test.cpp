// What a person may do to a plan's sites, and what is refused.
#include "graphs.h"
#include "plan/make_plan.h"
#include "plan/sites.h"

#include <gmock/gmock.h>

#include <numeric>

using namespace heddle;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class EditedPlan : public testing::Test {
protected:
  EditedPlan() {
    test::add_window(graph_, "flow table", {2, 3});
    body_.body = graph_.body;
    body_.contexts = graph_.contexts;
    body_.sites = sites_of(graph_, {0, 0, 1, 1, 1, 2});
  }
  std::string error() {
    llvm::Error error = check_plan(body_, graph_);
    return error ? llvm::toString(std::move(error)) : "no error";
  }

  CutGraph graph_ = test::chain(6, 1);
  BodyPlan body_;
};

TEST_F(EditedPlan, Unchanged) {
  EXPECT_EQ(error(), "no error");
  EXPECT_THAT(llvm::cantFail(stages_of(graph_, body_.sites)), ElementsAre(0, 0, 1, 1, 1, 2));
}

TEST_F(EditedPlan, ARemovedSiteJoinsTwoStages) {
  body_.sites.erase(body_.sites.begin());
  EXPECT_EQ(error(), "no error");
}

TEST_F(EditedPlan, ADividedWindowNamesSiteAndWindow) {
  body_.sites[0].from = 2;
  body_.sites[0].to = 3;
  body_.sites[0].at = "f.c:40";
  EXPECT_THAT(error(), HasSubstr("the site of stage 1 at f.c:40"));
  EXPECT_THAT(error(), HasSubstr("divides the window of flow table"));
}

TEST_F(EditedPlan, OutputThatPassesAReceiveIsNamed) {
  test::add_received_ahead(graph_, 1, 5);
  EXPECT_EQ(error(), "no error");
  test::add_received_ahead(graph_, 5, 4);
  EXPECT_THAT(error(), HasSubstr("the site of stage 2"));
  EXPECT_THAT(error(),
              HasSubstr("lets the output at f.c:50 pass the receive at f.c:60 of an earlier packet"));
}

TEST_F(EditedPlan, ASiteOnNoEdge) {
  body_.sites[0].to = 5;
  EXPECT_THAT(error(), HasSubstr("lies on no edge"));
}

TEST_F(EditedPlan, ASiteWhereNoneCanBe) {
  graph_.edges[1].site_possible = false;
  EXPECT_THAT(error(), HasSubstr("there is no place for"));
}

TEST_F(EditedPlan, ASiteInsideALoop) {
  test::add_edge(graph_, 5, 4);
  EXPECT_THAT(error(), HasSubstr("inside a loop"));
}

TEST_F(EditedPlan, AnotherBody) {
  graph_.body = "heddle.body.1";
  EXPECT_THAT(error(), HasSubstr("heddle.body.0, not for heddle.body.1"));
}

TEST_F(EditedPlan, ASiteOnOneBranchDividesAWindowBehindTheMerge) {
  // A second way from 0 to 2 that crosses no site: the packet may reach the window in stage 0 or 1.
  test::add_edge(graph_, 0, 2);
  EXPECT_THAT(error(), HasSubstr("divides the window of flow table"));
}

TEST_F(EditedPlan, ASiteOnOneBranchIsSoundWithoutAWindow) {
  graph_.locations.clear();
  test::add_edge(graph_, 0, 2);
  EXPECT_EQ(error(), "no error");
}

TEST(Sites, SeveralWaysBackFromOneCallShareASite) {
  CutGraph graph = test::chain(2, 1);
  test::add_node(graph, 1, 10);
  test::add_edge(graph, 0, 2);
  for (CutEdge& edge : graph.edges)
    edge.site_from = 7, edge.site_to = 8;
  EXPECT_EQ(sites_of(graph, {0, 1, 1}).size(), 1u);
}

TEST(Sites, OfEveryRandomLabellingAreAccepted) {
  for (uint64_t seed = 0; seed != 30; ++seed) {
    CutGraph graph = test::random_graph(seed, 100);
    Condensed condensed = condense(graph);
    auto finest = llvm::cantFail(make_policy("finest"))->stages(condensed, {});
    std::vector<unsigned> stages = node_stages(condensed, finest);
    auto again = stages_of(graph, sites_of(graph, stages));
    ASSERT_TRUE(bool(again)) << "seed " << seed << ": " << llvm::toString(again.takeError());
    EXPECT_EQ(*again, stages) << "seed " << seed;
  }
}

// A chain 0-1-2-3-4-5 with a rare node 6 that 3 may enter and that goes on to 5.
class RareCode : public EditedPlan {
protected:
  RareCode() {
    uint32_t rare = test::add_node(graph_, 1, 0, 1);
    graph_.nodes[rare].rare = true;
    test::add_edge(graph_, 3, rare);
    test::add_edge(graph_, rare, 5);
  }
  void add_location(const char* verdict, std::initializer_list<LocationAccess> accesses) {
    SharedLocation location;
    location.name = "table";
    location.verdict = verdict;
    location.accesses = accesses;
    graph_.locations.push_back(location);
  }
  std::vector<unsigned> stages(const Condensed& condensed) {
    std::vector<unsigned> groups(condensed.groups.size());
    std::iota(groups.begin(), groups.end(), 0u);
    return node_stages(condensed, groups);
  }
};

TEST_F(RareCode, HoldsNoSite) {
  body_.sites = sites_of(graph_, {0, 0, 1, 1, 1, 2, 2});
  for (const PlannedSite& site : body_.sites)
    EXPECT_TRUE(site.from != 6 && site.to != 6);
  EXPECT_EQ(error(), "no error");
  body_.sites.push_back({0, 3, 6, 2, "f", "f.c:70"});
  EXPECT_THAT(error(), HasSubstr("lies in rare code"));
}

TEST_F(RareCode, AccessBelongsToNoWindow) {
  add_location("window", {{5, true, "f", "f.c:60", false}, {6, true, "f", "f.c:70", true}});
  std::vector<unsigned> by_node = stages(condense(graph_));
  EXPECT_LT(by_node[3], by_node[5]);
  EXPECT_LE(by_node[6], by_node[5]);
}

TEST_F(RareCode, CommonAccessInAStageBehindIsHeld) {
  // Node 1 reads what node 6 writes: later packets would have read before the rare packet wrote.
  add_location("rare-path", {{1, false, "f", "f.c:20", false}, {6, true, "f", "f.c:70", true}});
  std::vector<unsigned> by_node = stages(condense(graph_));
  EXPECT_EQ(by_node[1], by_node[3]);
  EXPECT_LT(by_node[3], by_node[4]);
  body_.sites = sites_of(graph_, {0, 0, 1, 1, 1, 2, 2});
  EXPECT_THAT(error(), HasSubstr("pass the one on a rare path at f.c:70"));
  body_.sites = sites_of(graph_, {0, 0, 0, 0, 1, 2, 2});
  EXPECT_EQ(error(), "no error");
}

TEST_F(RareCode, CommonReadersOfWhatRareCodeWritesNeedNoWindow) {
  add_location(
      "rare-path",
      {{4, false, "f", "f.c:50", false}, {5, false, "f", "f.c:60", false}, {6, true, "f", "f.c:70", true}});
  std::vector<unsigned> by_node = stages(condense(graph_));
  EXPECT_LT(by_node[4], by_node[5]);
}

TEST_F(RareCode, OrderBetweenGroupsWithoutAnEdgeIsALink) {
  add_location("rare-path", {{4, false, "f", "f.c:50", false}, {6, true, "f", "f.c:70", true}});
  Condensed condensed = condense(graph_);
  uint32_t rare = condensed.group_of[6], reader = condensed.group_of[4];
  EXPECT_TRUE(llvm::any_of(condensed.links, [&](const CutLink& link) {
    return link.from == rare && link.to == reader && link.edges == 0;
  }));
}

TEST_F(RareCode, InsideAClosedCallCountsFromItsNode) {
  graph_.nodes[3].rare_inside = true;
  add_location("rare-path", {{1, false, "f", "f.c:20", false}, {3, true, "g", "g.c:1", true}});
  std::vector<unsigned> by_node = stages(condense(graph_));
  EXPECT_EQ(by_node[1], by_node[3]);
  body_.sites = sites_of(graph_, {0, 0, 1, 1, 1, 2, 2});
  EXPECT_THAT(error(), HasSubstr("pass the one on a rare path at g.c:1"));
}

} // namespace
