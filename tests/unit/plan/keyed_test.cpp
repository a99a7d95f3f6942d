// Which stages packets pass in packet order, and where only those with one key have to.
#include "graphs.h"

#include "plan/keyed.h"
#include "plan/make_plan.h"
#include "plan/sites.h"

#include <gmock/gmock.h>

#include <numeric>

using namespace heddle;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

void add_key(CutGraph& graph, std::vector<uint32_t> claims, std::vector<uint32_t> accesses,
             const std::string& name = "flow") {
  test::add_window(graph, name, {});
  SharedLocation& location = graph.locations.back();
  location.verdict = "keyed";
  location.key = uint32_t(graph.keys.size());
  for (uint32_t node : accesses)
    location.accesses.push_back({node, true, "f", graph.nodes[node].at});
  graph.keys.push_back({uint32_t(graph.keys.size()) + 1, "find_" + name + "()", std::move(claims)});
}

std::vector<unsigned> free_stages(const KeyedOrder& order) {
  std::vector<unsigned> free;
  for (unsigned s = 0; s != order.ordered.size(); ++s)
    if (!order.ordered[s]) free.push_back(s);
  return free;
}

KeyedOrder order_of(const CutGraph& graph, const std::vector<unsigned>& stages) {
  return keyed_order(graph, {stages, stages});
}

class Keyed : public testing::Test {
protected:
  Keyed() { std::iota(each_.begin(), each_.end(), 0); }
  CutGraph graph_ = test::chain(8, 1);
  std::vector<unsigned> each_ = std::vector<unsigned>(8); // a stage per node
};

TEST_F(Keyed, TheRangeIsThatOfTheAccessesBehindTheClaim) {
  add_key(graph_, {1}, {3, 6});
  KeyedOrder order = order_of(graph_, each_);
  EXPECT_EQ(order.problem, "");
  ASSERT_EQ(order.keys.size(), 1u);
  EXPECT_EQ(order.keys[0].first, 3u);
  EXPECT_EQ(order.keys[0].last, 6u);
  EXPECT_THAT(free_stages(order), ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST_F(Keyed, WindowsStayOrdered) {
  add_key(graph_, {1}, {3, 6});
  test::add_window(graph_, "log", {4});
  EXPECT_THAT(free_stages(order_of(graph_, each_)), ElementsAre(2, 3, 5, 6, 7));
}

TEST_F(Keyed, ALocationInOneStageNeedsNoKeyIfTheStageIsOrdered) {
  add_key(graph_, {1}, {4});
  KeyedOrder order = order_of(graph_, each_);
  EXPECT_TRUE(order.keys.empty());
  EXPECT_THAT(free_stages(order), ElementsAre(2, 3, 5, 6, 7));
}

TEST_F(Keyed, RangesOfOneKeyThatOverlapAreOne) {
  add_key(graph_, {1}, {3, 5});
  graph_.locations.push_back(graph_.locations.back());
  for (uint32_t i : {0u, 1u})
    graph_.locations.back().accesses[i].node = 5 + i;
  KeyedOrder order = order_of(graph_, each_);
  ASSERT_EQ(order.keys.size(), 1u);
  EXPECT_EQ(order.keys[0].last, 6u);
}

TEST_F(Keyed, ARecordThatIsFilledAtOnceIsTouchedInTheStageOfTheClaim) {
  add_key(graph_, {1, 2}, {2, 5});
  EXPECT_THAT(order_of(graph_, each_).problem, HasSubstr("in a stage that is not before the access to flow"));
  graph_.locations.back().accesses[0].fresh = true;
  KeyedOrder order = order_of(graph_, each_);
  EXPECT_EQ(order.problem, "");
  ASSERT_EQ(order.keys.size(), 1u);
  EXPECT_EQ(order.keys[0].first, 5u);
}

TEST_F(Keyed, RecordsFilledInSeveralStagesAreWaitedFor) {
  add_key(graph_, {1, 4}, {2, 4});
  for (LocationAccess& access : graph_.locations.back().accesses)
    access.fresh = true;
  KeyedOrder order = order_of(graph_, each_);
  EXPECT_EQ(order.problem, "");
  ASSERT_EQ(order.keys.size(), 1u);
  EXPECT_EQ(order.keys[0].last, 4u);
  EXPECT_THAT(free_stages(order), ElementsAre(3, 5, 6, 7));
}

TEST_F(Keyed, WhatRareCodeConflictsWithKeepsItsOrder) {
  add_key(graph_, {1}, {3, 6});
  graph_.nodes[7].rare = true;
  graph_.locations.back().accesses.push_back({7, true, "f", "f.c:80", true});
  EXPECT_THAT(free_stages(order_of(graph_, each_)), ElementsAre(2, 4, 5, 7));
}

TEST_F(Keyed, ARareAccessBehindTheClaimIsPartOfTheRange) {
  add_key(graph_, {1}, {3, 5});
  graph_.nodes[6].rare = true;
  graph_.locations.back().accesses.push_back({6, true, "f", "f.c:70", true});
  graph_.locations.back().accesses.back().claimed = true;
  KeyedOrder order = order_of(graph_, each_);
  ASSERT_EQ(order.keys.size(), 1u);
  EXPECT_EQ(order.keys[0].last, 6u);
  EXPECT_THAT(free_stages(order), ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST_F(Keyed, ARareAccessBehindTheClaimDoesNotHoldTheOthersBack) {
  add_key(graph_, {1}, {3, 5});
  graph_.nodes[6].rare = graph_.nodes[7].rare = true;
  for (bool claimed : {true, false}) {
    graph_.locations.back().accesses.resize(2);
    graph_.locations.back().accesses.push_back({6, true, "f", "f.c:70", true});
    graph_.locations.back().accesses.back().claimed = claimed;
    PlanOptions options;
    options.policy = "finest";
    Plan plan = llvm::cantFail(make_plan("id", {graph_}, options));
    EXPECT_EQ(plan.bodies.front().stages.size() > 5, claimed);
    llvm::Error error = check_plan(plan.bodies.front(), graph_);
    EXPECT_FALSE(error) << llvm::toString(std::move(error));
  }
}

TEST_F(Keyed, ASecondClaimInRareCodeMustNotComeBehindAnAccess) {
  add_key(graph_, {1}, {3, 6});
  graph_.keys.back().rare_claims = {2};
  KeyedOrder order = order_of(graph_, each_);
  EXPECT_EQ(order.problem, "");
  EXPECT_THAT(free_stages(order),
              ElementsAre(2, 4, 5, 6, 7)); // nobody is ahead in the first stage of the range
  graph_.keys.back().rare_claims = {5};
  order = order_of(graph_, each_);
  EXPECT_THAT(order.problem, HasSubstr("comes before a packet that runs alone claims the key find_flow()"));
  EXPECT_EQ(order.problem_at, "f.c:40");
}

TEST_F(Keyed, AFreshRecordMayBeGivenOutInRareCodeAnywhere) {
  add_key(graph_, {1}, {3, 6});
  graph_.keys.back().fresh_alone = {5};
  KeyedOrder order = order_of(graph_, each_);
  EXPECT_EQ(order.problem, "");
  EXPECT_THAT(free_stages(order), ElementsAre(2, 3, 4, 5, 6, 7));
  graph_.keys.back().fresh_alone = {3, 5};
  EXPECT_THAT(free_stages(order_of(graph_, each_)), ElementsAre(2, 4, 5, 6, 7));
}

TEST_F(Keyed, WhatBindsAClaimIsNamed) {
  add_key(graph_, {2}, {3, 6});
  test::add_window(graph_, "log", {1, 4});
  drop_hopeless_keys(graph_);
  EXPECT_THAT(graph_.locations.front().would_free, HasSubstr("the window of log, between"));
}

TEST_F(Keyed, AClaimAmongTheAccessesFreesNothing) {
  add_key(graph_, {1, 4}, {3, 6});
  drop_hopeless_keys(graph_);
  EXPECT_EQ(graph_.locations.back().verdict, "window");
  EXPECT_THAT(graph_.locations.back().would_free, HasSubstr("no cut can lie between the access at f.c:40"));
}

TEST_F(Keyed, AStageWithClaimAndAccessIsDivided) {
  add_key(graph_, {1}, {3, 6});
  const Condensed condensed = condense(graph_);
  const KeyedGroups keyed(graph_, condensed);
  std::vector<unsigned> stages{0, 0, 0, 0, 0, 1, 1, 1};
  EXPECT_FALSE(keyed.are_legal(stages));
  keyed.separate(stages);
  EXPECT_TRUE(keyed.are_legal(stages));
  EXPECT_THAT(stages, ElementsAre(0, 0, 0, 1, 1, 2, 2, 2));
}

TEST_F(Keyed, APlanIsLegalAndAnEditThatTakesTheRangeAwayIsNot) {
  add_key(graph_, {1}, {3, 6});
  PlanOptions options;
  options.policy = "finest";
  options.budget.lines = 1;
  Plan plan = llvm::cantFail(make_plan("id", {graph_}, options));
  BodyPlan& body = plan.bodies.front();
  auto error = [&] {
    llvm::Error found = check_plan(body, graph_);
    return found ? llvm::toString(std::move(found)) : "no error";
  };
  EXPECT_EQ(error(), "no error");
  ASSERT_EQ(body.keys.size(), 1u);
  KeyRange range = body.keys.front();
  ++body.keys.front().first;
  EXPECT_THAT(error(), HasSubstr("need the key find_flow() from stage 3 to stage 6"));
  body.keys.front() = range;
  ASSERT_EQ(range.claimed, 1u);
  body.keys.front().claimed = 0; // who has left stage 0 would count as claiming no more
  EXPECT_THAT(error(), HasSubstr("claimed in stages up to 1"));
  body.keys.front() = range;
  body.stages[1].ordered = false;
  EXPECT_THAT(error(), HasSubstr("packets have to pass stage 1 in packet order"));
}

TEST_F(Keyed, RandomPlansAreLegal) {
  unsigned with_range = 0;
  for (uint64_t seed = 0; seed != 200; ++seed) {
    CutGraph graph = test::random_graph(seed, 60);
    std::mt19937_64 random(seed);
    for (int k = 0; k != 3; ++k) {
      const auto claim = uint32_t(random() % 30);
      add_key(graph, {claim}, {uint32_t(claim + random() % 30), uint32_t(claim + random() % 30)},
              "key" + std::to_string(k));
    }
    for (const char* policy : {"finest", "optimistic-bound", "conservative"}) {
      PlanOptions options;
      options.policy = policy;
      options.budget.lines = 12;
      options.only_if_pays = false;
      Plan plan = llvm::cantFail(make_plan("id", {graph}, options));
      with_range += !plan.bodies.front().keys.empty();
      llvm::Error error = check_plan(plan.bodies.front(), graph);
      EXPECT_FALSE(error) << "seed " << seed << ", " << policy << ": " << llvm::toString(std::move(error));
    }
  }
  EXPECT_GT(with_range, 100u);
}

} // namespace
