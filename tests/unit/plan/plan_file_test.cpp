#include "graphs.h"
#include "plan/make_plan.h"
#include "support/file.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

namespace {

Plan figure_5_plan() {
  CutGraph graph = test::figure_5();
  test::add_window(graph, "table \xff", {5, 6});
  test::add_window(graph, "statistics", {0, 7});
  graph.locations.back().verdict = "commutative";
  PlanOptions options;
  options.budget.lines = 10;
  options.model = FootprintModel::PerVisit;
  options.only_if_pays = false;
  options.trust = "declared";
  options.declarations = {
      "heddle.toml", {{"commute", {"push", "pop"}, "addresses", "nobody looks", {"compare"}, {2, 2, 3}}}};
  Plan plan = llvm::cantFail(make_plan("build-1", {graph}, options));
  plan.remarks.push_back({"one-stage", "f.c:1", "what", "hint"});
  return plan;
}

class PlanFile : public testing::Test {
protected:
  TemporaryFolder folder_ = llvm::cantFail(TemporaryFolder::create("plan"));
  std::string path_ = folder_.file("plan.json");

  std::string text() { return llvm::cantFail(read_file(path_))->getBuffer().str(); }
  void write(const std::string& content) {
    llvm::cantFail(write_file(path_, [&](llvm::raw_ostream& out) { out << content; }));
  }
  void replace(const std::string& from, const std::string& to) {
    std::string content = text();
    size_t at = content.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(content.replace(at, from.size(), to));
  }
  std::string error(llvm::StringRef program = "build-1") {
    auto plan = read_plan(path_);
    if (!plan) return llvm::toString(plan.takeError());
    llvm::Error error = check_build(*plan, program, path_);
    return error ? llvm::toString(std::move(error)) : "no error";
  }
};

TEST_F(PlanFile, ComesBackAsItWasWritten) {
  Plan plan = figure_5_plan();
  ASSERT_TRUE(plan.stages_anything());
  llvm::cantFail(write_plan(plan, path_));
  std::string first = text();
  Plan again = llvm::cantFail(read_plan(path_));
  EXPECT_EQ(again.bodies[0].sites.size(), plan.bodies[0].sites.size());
  EXPECT_EQ(again.bodies[0].windows[0].accesses.size(), 2u);
  llvm::cantFail(write_plan(again, path_));
  EXPECT_EQ(first, text());
}

TEST_F(PlanFile, OfAnotherBuildIsRefused) {
  llvm::cantFail(write_plan(figure_5_plan(), path_));
  EXPECT_THAT(error("build-2"), HasSubstr("another build"));
}

TEST_F(PlanFile, DigestsWhatIsDeclared) {
  Plan plan = figure_5_plan();
  const std::string digest = decisions_digest(plan);
  plan.declarations.all[0].why = "another reason";
  EXPECT_NE(decisions_digest(plan), digest);
  plan = figure_5_plan();
  plan.trust = "proven";
  EXPECT_NE(decisions_digest(plan), digest);
  plan = figure_5_plan();
  plan.declarations.file = "elsewhere.toml";
  EXPECT_EQ(decisions_digest(plan), digest);
}

TEST_F(PlanFile, NamesTheMissingField) {
  llvm::cantFail(write_plan(figure_5_plan(), path_));
  replace("\"stage\": 2,", "");
  EXPECT_THAT(error(), HasSubstr("'bodies[0].sites[1].stage' is missing"));
}

TEST_F(PlanFile, NamesTheUnknownField) {
  llvm::cantFail(write_plan(figure_5_plan(), path_));
  replace("\"batch\": 32,", "\"batch\": 32, \"batches\": 3,");
  EXPECT_THAT(error(), HasSubstr("'batches' is unknown"));
}

TEST_F(PlanFile, NamesTheUnknownFieldInside) {
  llvm::cantFail(write_plan(figure_5_plan(), path_));
  replace("\"crossings\":", "\"crossing\": 1, \"crossings\":");
  EXPECT_THAT(error(), HasSubstr("'bodies[0].stages[0].crossing' is unknown"));
}

TEST_F(PlanFile, NamesTheFieldOfTheWrongKind) {
  llvm::cantFail(write_plan(figure_5_plan(), path_));
  replace("\"batch\": 32", "\"batch\": -1");
  EXPECT_THAT(error(), HasSubstr("'batch' is not a whole number"));
}

TEST_F(PlanFile, TruncatedIsNoPlan) {
  llvm::cantFail(write_plan(figure_5_plan(), path_));
  write(text().substr(0, 300));
  EXPECT_THAT(error(), HasSubstr("not a plan"));
}

TEST_F(PlanFile, ForeignJsonIsNoPlan) {
  write("{\"bodies\": []}");
  EXPECT_THAT(error(), HasSubstr("not a plan"));
}

TEST_F(PlanFile, OfAnotherFormatVersionIsRefused) {
  llvm::cantFail(write_plan(figure_5_plan(), path_));
  replace("\"version\": 1", "\"version\": 2");
  EXPECT_THAT(error(), HasSubstr("format version 2"));
}

// Every object of the file has exactly the fields that the schema lists for it.
void expect_matches(const llvm::json::Value& value, const llvm::json::Object& schema,
                    const std::string& path) {
  if (const llvm::json::Object* object = value.getAsObject()) {
    const llvm::json::Object* fields = schema.getObject("properties");
    ASSERT_TRUE(fields) << path;
    for (const auto& [name, field] : *fields)
      EXPECT_TRUE(object->get(name)) << path << '.' << name.str() << " is in the schema only";
    for (const auto& [name, field] : *object) {
      const llvm::json::Object* inner = fields->getObject(name);
      ASSERT_TRUE(inner) << path << '.' << name.str() << " is not in the schema";
      expect_matches(field, *inner, path + "." + name.str());
    }
  } else if (const llvm::json::Array* array = value.getAsArray()) {
    const llvm::json::Object* items = schema.getObject("items");
    ASSERT_TRUE(items) << path;
    for (const llvm::json::Value& element : *array)
      expect_matches(element, *items, path + "[]");
  }
}

TEST_F(PlanFile, HasTheFieldsOfTheSchema) {
  llvm::cantFail(write_plan(figure_5_plan(), path_));
  auto schema_text = llvm::cantFail(read_file(HEDDLE_SOURCE_DIR "/docs/plan.schema.json"));
  auto schema = llvm::cantFail(llvm::json::parse(schema_text->getBuffer()));
  auto plan = llvm::cantFail(llvm::json::parse(text()));
  expect_matches(plan, *schema.getAsObject(), "plan");
}

} // namespace
