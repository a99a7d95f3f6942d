#include "graphs.h"
#include "plan/make_plan.h"

#include "llvm/Support/raw_ostream.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

namespace {

Plan example() {
  CutGraph graph = test::chain(20, 40);
  test::add_window(graph, "small table", {2, 3});
  test::add_window(graph, "large table", {8, 9, 10, 11, 12, 13, 14, 15});
  graph.locations.back().accesses.front().write = false;
  test::add_window(graph, "packets_seen", {0, 19});
  graph.locations.back().verdict = "commutative";
  graph.locations.back().reason = "only added to, at f.c:10";
  PlanOptions options;
  options.budget.lines = 200;
  return llvm::cantFail(make_plan("p", {graph}, options));
}

std::string explanation() {
  std::string text;
  llvm::raw_string_ostream out(text);
  explain_plan(example(), out);
  return text;
}

TEST(Explanation, GivesTheLargestWindowFirst) {
  std::string text = explanation();
  size_t large = text.find("1. large table"), small = text.find("2. small table");
  ASSERT_NE(large, std::string::npos) << text;
  ASSERT_NE(small, std::string::npos) << text;
  EXPECT_LT(large, small);
}

TEST(Explanation, NamesWhatBoundsAWindowAndWhatWouldFreeIt) {
  std::string text = explanation();
  EXPECT_THAT(text,
              HasSubstr("40.0 % of a packet's instructions (80), 320 cache lines = 160 % of the budget"));
  EXPECT_THAT(text, HasSubstr("from              f.c:90   reads          f"));
  EXPECT_THAT(text, HasSubstr("... 2 more ..."));
  EXPECT_THAT(text, HasSubstr("to                f.c:160  writes         f"));
  EXPECT_THAT(text, HasSubstr("commutative, if f.c:10 did not read it"));
}

TEST(Explanation, CountsAndReasonsOfRelaxedLocations) {
  std::string text = explanation();
  EXPECT_THAT(text, HasSubstr("3: 2 with a window, 1 commutative"));
  EXPECT_THAT(text, HasSubstr("packets_seen: only added to, at f.c:10"));
}

TEST(Explanation, SaysWhatFreeingOverlappingWindowsWouldGain) {
  CutGraph graph = test::chain(10, 40);
  test::add_window(graph, "first", {0, 5});
  test::add_window(graph, "second", {5, 9});
  Plan plan = llvm::cantFail(make_plan("p", {graph}, {}));
  const PlannedWindow& first = plan.bodies[0].windows[0];
  EXPECT_DOUBLE_EQ(first.heat_share, 0.6);
  EXPECT_DOUBLE_EQ(first.region_share, 1);
  EXPECT_DOUBLE_EQ(first.freed_alone, 0.5);
  EXPECT_DOUBLE_EQ(plan.bodies[0].windows[1].freed_with_larger, 0.1);
}

TEST(Explanation, EndsWithTheRemarks) {
  EXPECT_THAT(explanation(), HasSubstr("remark [window-over-budget]"));
}

TEST(Printing, ShowsStagesAndSites) {
  std::string text;
  llvm::raw_string_ostream out(text);
  print_plan(example(), out);
  EXPECT_THAT(text,
              HasSubstr("policy optimistic-bound, budget 200 instruction-cache lines (batch footprint)"));
  EXPECT_THAT(text, HasSubstr("crossings per packet"));
  EXPECT_THAT(text, HasSubstr("into stage 1"));
}

} // namespace
