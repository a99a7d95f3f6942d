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

// Adds a location of `object` to what add_window() made last.
void is_part(CutGraph& graph, const char* object, const char* part, std::vector<SampledAccess> sampled) {
  SharedLocation& location = graph.locations.back();
  location.object = object;
  location.parts = {part};
  location.ran = !sampled.empty();
  location.sampled = std::move(sampled);
}

std::string explained(const CutGraph& graph) {
  std::string text;
  llvm::raw_string_ostream out(text);
  explain_plan(llvm::cantFail(make_plan("p", {graph}, {})), out);
  return text;
}

TEST(Explanation, PartsOfOneObjectWithOneExtentAreOneRow) {
  CutGraph graph = test::chain(10, 40);
  for (const char* part : {".read", ".write", ".fd"}) {
    test::add_window(graph, std::string("conn_t") + part, {2, 5});
    is_part(graph, "conn_t (heap at f.c:1 in open)", part, {{0.25, true, "f", "f.c:30"}});
  }
  test::add_window(graph, "conn_t.log", {2, 6}); // another extent: a row of its own
  is_part(graph, "conn_t (heap at f.c:1 in open)", ".log", {{0.5, true, "f", "f.c:70"}});
  Plan plan = llvm::cantFail(make_plan("p", {graph}, {}));
  ASSERT_EQ(plan.bodies[0].windows.size(), 2u);
  EXPECT_EQ(plan.bodies[0].windows[0].name, "conn_t.log");
  EXPECT_EQ(plan.bodies[0].windows[1].name, "conn_t (heap at f.c:1 in open)");
  EXPECT_EQ(plan.bodies[0].windows[1].locations, 3u);
  EXPECT_THAT(explained(graph), HasSubstr("parts             .read, .write, .fd"));
  EXPECT_THAT(explained(graph), HasSubstr("4: 4 with a window"));
}

TEST(Explanation, ObjectsThatTheSameAccessesReachAreOneRow) {
  CutGraph graph = test::chain(10, 40);
  for (const char* object : {"table_a", "table_b", "table_c"}) {
    test::add_window(graph, object, {2, 5});
    is_part(graph, object, "", {{0.25, false, "f", "f.c:30"}, {0.5, true, "f", "f.c:60"}});
  }
  Plan plan = llvm::cantFail(make_plan("p", {graph}, {}));
  ASSERT_EQ(plan.bodies[0].windows.size(), 1u);
  EXPECT_EQ(plan.bodies[0].windows[0].name, "table_a or 2 other objects");
  EXPECT_DOUBLE_EQ(plan.bodies[0].windows[0].freed_alone, 0.1); // all three are freed with the row
}

TEST(Explanation, ShowsTheWayOfAPacketThroughAWindow) {
  CutGraph graph = test::chain(10, 40);
  test::add_window(graph, "counter", {2, 5});
  is_part(graph, "counter", "",
          {{0.9, false, "late", "f.c:90"}, {0.1, false, "early", "f.c:10"}, {0.5, true, "count", "f.c:50"}});
  std::string text = explained(graph);
  EXPECT_THAT(text, HasSubstr("first access      f.c:10  reads    10 % into the packet  early"));
  EXPECT_THAT(text, HasSubstr("first write       f.c:50  writes   50 % into the packet  count"));
  EXPECT_THAT(text, HasSubstr("last access       f.c:90  reads    90 % into the packet  late"));
}

TEST(Explanation, CountsWhatTheSampleNeverTouched) {
  CutGraph graph = test::chain(10, 40);
  test::add_window(graph, "hot", {2, 3});
  is_part(graph, "hot", "", {{0.3, true, "f", "f.c:30"}});
  test::add_window(graph, "cold", {1, 8});
  is_part(graph, "cold", "", {});
  Plan plan = llvm::cantFail(make_plan("p", {graph}, {}));
  EXPECT_DOUBLE_EQ(plan.bodies[0].freed_rare, 0.2);
  EXPECT_THAT(explained(graph), HasSubstr("1 of the 2 locations with a window are touched only by code"));
}

TEST(Explanation, TellsRemarksThatSayTheSameOnce) {
  Plan plan = example();
  for (int line = 1; line != 7; ++line)
    plan.remarks.push_back({"inline-assembly", "f.c:" + std::to_string(line), "pause", "build it"});
  std::string text;
  llvm::raw_string_ostream out(text);
  explain_plan(plan, out);
  EXPECT_THAT(text, HasSubstr("remark [inline-assembly] f.c:1, f.c:2, f.c:3 and 3 more places"));
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
