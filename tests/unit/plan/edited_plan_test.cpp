// What a person may do to a plan's sites, and what is refused.
#include "graphs.h"
#include "plan/make_plan.h"
#include "plan/sites.h"

#include <gmock/gmock.h>

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

} // namespace
