#include "report/inputs.h"

#include "support/file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

namespace {

llvm::Expected<llvm::json::Object> read_object(const std::string& path, llvm::StringRef hint) {
  auto buffer = read_file(path);
  if (!buffer) return buffer.takeError();
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) return diagnose("not JSON: " + llvm::toString(value.takeError()), hint, path);
  if (llvm::json::Object* object = value->getAsObject()) return std::move(*object);
  return diagnose("not a JSON object", hint, path);
}

bool is_older(const std::string& path, const std::string& than) {
  llvm::sys::fs::file_status a, b;
  return !llvm::sys::fs::status(path, a) && !llvm::sys::fs::status(than, b) &&
         a.getLastModificationTime() < b.getLastModificationTime();
}

class Reader {
public:
  explicit Reader(ReportInputs& inputs) : inputs_(inputs) {}

  // The path has to be that of this very plan: stages are drawn from it.
  llvm::Error read_path() {
    const std::string hint = "make it with `heddle plan PROGRAM`";
    auto path = read("path.json", hint, {"cycles", "path", "misses", "batches"});
    if (!path) return path.takeError();
    if (*path && (*path)->getString("checked") != llvm::StringRef(inputs_.plan.checked)) {
      leave_out("path.json is of another plan", hint, {"cycles", "path", "misses", "batches"});
      return llvm::Error::success();
    }
    if (*path && inputs_.plan.checked != decisions_digest(inputs_.plan)) {
      leave_out("the plan was edited", "`heddle plan PROGRAM` draws the plan that it makes",
                {"cycles", "path", "misses", "batches"});
      return llvm::Error::success();
    }
    inputs_.path = std::move(*path);
    return llvm::Error::success();
  }

  llvm::Error read_result(llvm::StringRef name, llvm::StringRef section, const std::string& hint,
                          std::optional<llvm::json::Object>& out) {
    auto result = read(name, hint, {section});
    if (!result) return result.takeError();
    if (*result && is_older(file(name), file("plan.json")))
      leave_out(name.str() + " is older than the plan", hint, {section});
    else
      out = std::move(*result);
    return llvm::Error::success();
  }

private:
  std::string file(llvm::StringRef name) const { return inputs_.folder + "/" + name.str(); }

  void leave_out(const std::string& why, const std::string& hint, llvm::ArrayRef<llvm::StringRef> sections) {
    for (llvm::StringRef section : sections)
      inputs_.left_out.push_back({section.str(), why, hint});
  }

  llvm::Expected<std::optional<llvm::json::Object>> read(llvm::StringRef name, const std::string& hint,
                                                         llvm::ArrayRef<llvm::StringRef> sections) {
    if (!llvm::sys::fs::exists(file(name))) {
      leave_out("there is no " + name.str(), hint, sections);
      return std::nullopt;
    }
    auto object = read_object(file(name), hint);
    if (!object) return object.takeError();
    return std::optional(std::move(*object));
  }

  ReportInputs& inputs_;
};

} // namespace

llvm::Expected<ReportInputs> read_report_inputs(const std::string& folder) {
  ReportInputs inputs;
  inputs.folder = folder;
  if (!llvm::sys::fs::is_directory(folder))
    return diagnose("there is no such work folder", "`heddle optimize PROGRAM -- ARGS` makes it", folder);
  const std::string plan_path = folder + "/plan.json";
  auto plan = read_plan(plan_path);
  if (!plan) return plan.takeError();
  inputs.plan = std::move(*plan);
  auto plan_file = read_object(plan_path, "make it with `heddle plan PROGRAM`");
  if (!plan_file) return plan_file.takeError();
  inputs.plan_file = std::move(*plan_file);

  Reader reader(inputs);
  if (llvm::Error error = reader.read_path()) return std::move(error);
  if (llvm::Error error = reader.read_result("verify.json", "outputs",
                                             "`heddle verify PROGRAM -- ARGS` compares them", inputs.verify))
    return std::move(error);
  if (llvm::Error error = reader.read_result("bench.json", "speed",
                                             "`heddle bench PROGRAM -- ARGS` measures it", inputs.bench))
    return std::move(error);
  if (llvm::Error error = reader.read_result(
          "sweep.json", "sweep", "`heddle plan PROGRAM --sweep -- ARGS` measures several plans in turn",
          inputs.sweep))
    return std::move(error);
  return std::move(inputs);
}

} // namespace heddle
