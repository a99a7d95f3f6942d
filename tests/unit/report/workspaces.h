// A work folder with a plan of one body in it, and whatever else a test puts there.
#pragma once

#include "report/document.h"
#include "report/path_file.h"
#include "support/file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

#include <chrono>
#include <gtest/gtest.h>

namespace heddle::test {

inline Plan staged_plan() {
  Plan plan;
  plan.program = "build-1";
  plan.policy = "finest";
  plan.budget = 512;
  plan.batch = 32;
  BodyPlan& body = plan.bodies.emplace_back();
  body.body = "heddle.body.0";
  body.source = "serve (serve.c:3)";
  body.packets = 100;
  body.instructions = 300;
  body.contexts.push_back({0, 0, "heddle.body.0"});
  body.stages = {{8, 200, 1, 2}, {4, 100, 0, 1}};
  body.sites.push_back({0, 1, 2, 1, "serve", "serve.c:4"});
  PlannedWindow& window = body.windows.emplace_back();
  window.name = "counter";
  window.verdict = "window";
  window.heat_share = 0.25;
  window.accesses.push_back({0, true, "serve", "serve.c:5"});
  plan.remarks.push_back({"window-over-budget", "serve.c:3", "stage 0 is large", "see --explain"});
  plan.checked = decisions_digest(plan);
  return plan;
}

class WorkFolder {
public:
  explicit WorkFolder(const Plan& plan = staged_plan()) : plan_(plan) {
    llvm::cantFail(write_plan(plan_, folder_.file("plan.json")));
  }

  const std::string& path() const { return folder_.path(); }
  const Plan& plan() const { return plan_; }

  void write(const std::string& name, const std::string& text) {
    llvm::cantFail(write_file(folder_.file(name), [&](llvm::raw_ostream& out) { out << text; }));
  }
  // 100 packets in batches of 4, 30 misses as written and 6 as planned at every size.
  void write_path(std::map<std::string, std::string> sources = {}) {
    BodyPath path;
    path.body = "heddle.body.0";
    path.nodes = {{0, 0, 1, 0, 100, 200, 8, 0.1, "serve", "serve.c:3"},
                  {1, 0, 2, 1, 100, 100, 4, 0.7, "serve", "serve.c:5"}};
    path.batches = {{4, 25}};
    const std::vector<CacheGeometry> caches = curve_geometries();
    std::vector<SimulatedMisses> misses;
    for (const CacheGeometry& cache : caches)
      misses.push_back({cache.str(), {30000, 1000, 30}, {30000, 1000, 6}});
    llvm::cantFail(
        write_path_file({plan_, {path}, caches, misses, std::move(sources)}, folder_.file("path.json")));
  }
  // As if the file had been written that much before the plan.
  void make_older(const std::string& name, std::chrono::seconds by) {
    llvm::sys::fs::file_status status;
    int file = 0;
    ASSERT_FALSE(llvm::sys::fs::status(folder_.file("plan.json"), status));
    ASSERT_FALSE(llvm::sys::fs::openFileForReadWrite(folder_.file(name), file, llvm::sys::fs::CD_OpenExisting,
                                                     llvm::sys::fs::OF_None));
    ASSERT_FALSE(
        llvm::sys::fs::setLastAccessAndModificationTime(file, status.getLastModificationTime() - by));
    ASSERT_FALSE(llvm::sys::Process::SafelyCloseFileDescriptor(file));
  }

  llvm::json::Object document(const SourceOptions& sources = {}) const {
    return report_document(llvm::cantFail(read_report_inputs(path())), sources);
  }
  std::string error() const {
    auto inputs = read_report_inputs(path());
    return inputs ? "no error" : llvm::toString(inputs.takeError());
  }

private:
  TemporaryFolder folder_ = llvm::cantFail(TemporaryFolder::create("report"));
  Plan plan_;
};

// "section: why" of each part without data.
inline std::vector<std::string> left_out(const llvm::json::Object& document) {
  std::vector<std::string> parts;
  for (const llvm::json::Value& part : *document.getArray("left_out"))
    parts.push_back(
        (*part.getAsObject()->getString("section") + ": " + *part.getAsObject()->getString("why")).str());
  return parts;
}

} // namespace heddle::test
