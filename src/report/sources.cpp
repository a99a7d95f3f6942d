#include "report/sources.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

namespace heddle {

using llvm::formatv;
using llvm::StringRef;

namespace {

constexpr unsigned around = 4; // lines shown before and after

struct Use {
  std::string kind, text;
};
using Places = std::map<std::pair<std::string, unsigned>, std::vector<Use>>; // file and line

void add(Places& places, StringRef at, std::string kind, std::string text) {
  auto [file, number] = at.rsplit(':');
  unsigned line = 0;
  if (file.empty() || number.getAsInteger(10, line) || line == 0) return;
  std::vector<Use>& uses = places[{file.str(), line}];
  if (llvm::none_of(uses, [&](const Use& use) { return use.kind == kind && use.text == text; }))
    uses.push_back({std::move(kind), std::move(text)});
}

void add_body(Places& places, const BodyPlan& body) {
  for (const PlannedSite& site : body.sites)
    add(places, site.at, "site", formatv("into stage {0}", site.stage));
  for (const PlannedLoad& load : body.loads)
    add(places, load.at, "load", (load.hidden ? "hidden: " : "left: ") + load.reason);
  for (const PlannedWindow& window : llvm::ArrayRef(body.windows).take_front(windows_in_report)) {
    for (const SampledAccess& access : window.sampled)
      add(places, access.at, "window", (access.write ? "writes " : "reads ") + window.name);
    if (!window.sampled.empty() || window.accesses.empty()) continue;
    for (const LocationAccess* access : {&window.accesses.front(), &window.accesses.back()})
      add(places, access->at, "window", (access->write ? "writes " : "reads ") + window.name);
  }
}

class Finder {
public:
  Finder(const ReportInputs& inputs, const SourceOptions& options, std::vector<LeftOut>& left_out)
      : inputs_(inputs), options_(options), left_out_(left_out) {
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(inputs.folder + "/plan.json", status))
      planned_ = status.getLastModificationTime();
  }

  // The file's lines; none, with the reason told once, where it cannot be shown.
  const std::vector<std::string>& lines(const std::string& name) {
    auto [known, fresh] = files_.try_emplace(name);
    if (!fresh) return known->second;
    const std::string path = find(name);
    llvm::sys::fs::file_status status;
    if (path.empty())
      left_out_.push_back({"source", name + " is not found", "name its folder with --source FOLDER"});
    else if (!llvm::sys::fs::status(path, status) && status.getLastModificationTime() > planned_)
      left_out_.push_back({"source", name + " has changed after the plan was made",
                           "build the program again, and `heddle optimize PROGRAM -- ARGS`"});
    else if (auto buffer = llvm::MemoryBuffer::getFile(path))
      known->second = split((*buffer)->getBuffer());
    return known->second;
  }

private:
  static std::vector<std::string> split(StringRef text) {
    llvm::SmallVector<StringRef, 0> parts;
    text.split(parts, '\n');
    std::vector<std::string> lines;
    for (StringRef part : parts)
      lines.push_back(llvm::json::fixUTF8(part.rtrim('\r')));
    return lines;
  }

  std::string find(const std::string& name) const {
    std::vector<std::string> candidates;
    for (const std::string& folder : options_.folders) {
      llvm::SmallString<256> path(folder);
      llvm::sys::path::append(path, name);
      candidates.push_back(path.str().str());
    }
    if (inputs_.path)
      if (const llvm::json::Object* sources = inputs_.path->getObject("sources"))
        if (auto path = sources->getString(name)) candidates.push_back(path->str());
    if (llvm::sys::path::is_absolute(name)) candidates.push_back(name);
    for (const std::string& path : candidates)
      if (llvm::sys::fs::is_regular_file(path)) return path;
    return "";
  }

  const ReportInputs& inputs_;
  const SourceOptions& options_;
  std::vector<LeftOut>& left_out_;
  llvm::sys::TimePoint<> planned_ = llvm::sys::TimePoint<>::max();
  std::map<std::string, std::vector<std::string>> files_;
};

} // namespace

llvm::json::Array source_views(const ReportInputs& inputs, const SourceOptions& options,
                               std::vector<LeftOut>& left_out) {
  Places places;
  for (const BodyPlan& body : inputs.plan.bodies)
    add_body(places, body);
  Finder finder(inputs, options, left_out);
  llvm::json::Array views;
  for (const auto& [place, uses] : places) {
    const auto& [file, line] = place;
    const std::vector<std::string>& lines = finder.lines(file);
    if (line > lines.size()) continue;
    const unsigned first = line > around ? line - around : 1;
    const size_t last = std::min<size_t>(lines.size(), line + around);
    llvm::json::Array shown, used;
    for (size_t number = first; number <= last; ++number)
      shown.push_back(lines[number - 1]);
    for (const Use& use : uses)
      used.push_back(llvm::json::Object{{"kind", use.kind}, {"text", llvm::json::fixUTF8(use.text)}});
    views.push_back(llvm::json::Object{{"file", llvm::json::fixUTF8(file)},
                                       {"line", line},
                                       {"first", first},
                                       {"lines", std::move(shown)},
                                       {"uses", std::move(used)}});
  }
  return views;
}

} // namespace heddle
