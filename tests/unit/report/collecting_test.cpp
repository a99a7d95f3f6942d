// The document is made of what is in the work folder, and says what is not.
#include <gmock/gmock.h>

#include "workspaces.h"

using namespace heddle;
using test::left_out;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace {

const char* bench =
    R"({"rounds": 9, "no_counters": "no counters here", "machine": {"cpu": "a machine"}, "variants": [
  {"name": "original", "ratio": 1, "ratio_ci": [1, 1]},
  {"name": "optimized", "ratio": 1.25, "ratio_ci": [1.2, 1.3], "confidence": 0.96},
  {"name": "optimized, staging off", "ratio": 1.01, "ratio_ci": [0.9, 1.1], "confidence": 0.96}]})";

TEST(Collecting, AFolderWithoutAPlanIsAnErrorWithAHint) {
  TemporaryFolder empty = llvm::cantFail(TemporaryFolder::create("report"));
  auto inputs = read_report_inputs(empty.path());
  ASSERT_FALSE(bool(inputs));
  EXPECT_THAT(llvm::toString(inputs.takeError()), HasSubstr("make it with `heddle plan PROGRAM`"));
  auto none = read_report_inputs(empty.path() + "/none");
  ASSERT_FALSE(bool(none));
  EXPECT_THAT(llvm::toString(none.takeError()), HasSubstr("no such work folder"));
}

TEST(Collecting, WhatIsMissingIsLeftOutAndNamed) {
  test::WorkFolder folder;
  const llvm::json::Object document = folder.document();
  EXPECT_FALSE(document.get("verify") || document.get("bench") || document.get("path") ||
               document.get("cycles"));
  EXPECT_THAT(left_out(document),
              testing::IsSupersetOf({"cycles: there is no path.json", "path: there is no path.json",
                                     "misses: there is no path.json", "batches: there is no path.json",
                                     "outputs: there is no verify.json", "speed: there is no bench.json"}));
  const llvm::json::Object& summary = *document.getObject("summary");
  EXPECT_EQ(summary.getInteger("stages"), 2);
  EXPECT_EQ(summary.getInteger("sites"), 1);
  EXPECT_FALSE(summary.get("ratio") || summary.get("outputs"));
}

TEST(Collecting, ResultsAreRepeatedAsTheyWere) {
  test::WorkFolder folder;
  folder.write("bench.json", bench);
  folder.write("verify.json", R"({"verdict": "identical", "runs": []})");
  const llvm::json::Object document = folder.document();
  const llvm::json::Object& summary = *document.getObject("summary");
  EXPECT_EQ(summary.getNumber("ratio"), 1.25);
  EXPECT_EQ(*summary.getArray("ratio_ci"), (llvm::json::Array{1.2, 1.3}));
  EXPECT_EQ(summary.getNumber("ratio_staging_off"), 1.01);
  EXPECT_EQ(summary.getString("outputs"), llvm::StringRef("identical"));
  EXPECT_EQ(document.getObject("bench")->getInteger("rounds"), 9);
  EXPECT_EQ(document.getObject("machine")->getString("cpu"), llvm::StringRef("a machine"));
  EXPECT_THAT(left_out(document), Contains("counters: no counters here"));
}

TEST(Collecting, AResultOfAnEarlierPlanIsLeftOut) {
  test::WorkFolder folder;
  folder.write("bench.json", bench);
  folder.make_older("bench.json", std::chrono::seconds(5));
  const llvm::json::Object document = folder.document();
  EXPECT_FALSE(document.get("bench"));
  EXPECT_THAT(left_out(document), Contains("speed: bench.json is older than the plan"));
}

TEST(Collecting, APathOfAnotherPlanIsLeftOut) {
  test::WorkFolder folder;
  folder.write_path();
  EXPECT_TRUE(folder.document().get("path"));
  Plan other = folder.plan();
  other.bodies[0].sites.clear();
  other.checked = decisions_digest(other);
  llvm::cantFail(write_plan(other, folder.path() + "/plan.json"));
  EXPECT_FALSE(folder.document().get("path"));
  EXPECT_THAT(left_out(folder.document()), Contains("path: path.json is of another plan"));
}

TEST(Collecting, AnEditedPlanHasNoPath) {
  test::WorkFolder folder;
  folder.write_path();
  Plan edited = folder.plan();
  edited.bodies[0].sites.clear();
  llvm::cantFail(write_plan(edited, folder.path() + "/plan.json"));
  EXPECT_THAT(left_out(folder.document()), Contains("path: the plan was edited"));
}

TEST(Collecting, DamagedFilesAreErrors) {
  test::WorkFolder folder;
  folder.write("bench.json", "{\"rounds\": ");
  EXPECT_THAT(folder.error(),
              testing::AllOf(HasSubstr("bench.json: not JSON"), HasSubstr("hint: `heddle bench")));
  folder.write("bench.json", "[1]");
  EXPECT_THAT(folder.error(), HasSubstr("not a JSON object"));
}

TEST(Collecting, CyclesAreThePlans) {
  Plan plan = test::staged_plan();
  plan.bodies[0].cycles_before = {.front_end = 3.5, .rest = 10};
  plan.bodies[0].cycles_after = {.front_end = 0.5, .rest = 10};
  test::WorkFolder folder(plan);
  const llvm::json::Object document = folder.document();
  const llvm::json::Object& cycles = *document.getObject("cycles");
  EXPECT_EQ(cycles.getString("kind"), llvm::StringRef("modelled"));
  EXPECT_NEAR(*cycles.getObject("before")->getNumber("front_end"), 3.5, 1e-9);
  EXPECT_NEAR(*cycles.getObject("after")->getNumber("front_end"), 0.5, 1e-9);
}

TEST(Collecting, LongListsAreCutAndCounted) {
  Plan plan = test::staged_plan();
  plan.bodies[0].windows.resize(250, plan.bodies[0].windows[0]);
  plan.bodies[0].windows[0].accesses.resize(50, plan.bodies[0].windows[0].accesses[0]);
  test::WorkFolder folder(plan);
  const llvm::json::Object document = folder.document();
  const llvm::json::Object& body = *(*document.getObject("plan")->getArray("bodies"))[0].getAsObject();
  EXPECT_EQ(body.getArray("windows")->size(), 100U);
  EXPECT_EQ(body.getInteger("windows_count"), 250);
  const llvm::json::Object& window = *(*body.getArray("windows"))[0].getAsObject();
  EXPECT_EQ(window.getArray("accesses")->size(), 12U);
  EXPECT_EQ(window.getInteger("accesses_count"), 50);
}

} // namespace
