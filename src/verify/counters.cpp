#include "verify/counters.h"

#include "support/file.h"
#include "support/process.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

namespace {

constexpr const char* events = "instructions,cycles,L1-icache-load-misses,branch-misses,iTLB-load-misses";

std::string read(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

} // namespace

Counters Counters::probe(const std::string& perf) {
  Counters counters;
  counters.perf_ = perf;
  const std::string none = "no hardware counters on this machine: ";
  auto folder = TemporaryFolder::create("heddle-perf");
  if (!folder) {
    counters.unusable_ = none + "no temporary folder";
    llvm::consumeError(folder.takeError());
    return counters;
  }
  std::string report = folder->file("report");
  std::vector<std::string> words = counters.prefix(report);
  words.push_back("true");
  ProcessOptions options;
  options.stdout_path = options.stderr_path = "/dev/null";
  options.timeout_seconds = 20;
  auto result = run_process(perf, llvm::ArrayRef<std::string>(words).drop_front(), options);
  if (!result) {
    llvm::consumeError(result.takeError());
    counters.unusable_ = none + "perf is not installed";
    return counters;
  }
  bool counts = false;
  for (const Counter& counter : parse(read(report)))
    counts |= counter.name.rfind("instructions", 0) == 0 && counter.value > 0;
  if (!result->ok())
    counters.unusable_ = none + "perf stat fails (is kernel.perf_event_paranoid above 2?)";
  else if (!counts)
    counters.unusable_ = none + "perf stat cannot count instructions";
  return counters;
}

std::vector<std::string> Counters::prefix(const std::string& report) const {
  return {perf_, "stat", "-x", ";", "-o", report, "-e", events, "--"};
}

std::vector<Counter> Counters::parse(llvm::StringRef report) {
  std::vector<Counter> counters;
  llvm::SmallVector<llvm::StringRef, 16> lines;
  report.split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef, 8> fields; // value; unit; event; ...
    line.split(fields, ';');
    double value;
    if (fields.size() > 2 && llvm::to_float(fields[0], value)) counters.push_back({fields[2].str(), value});
  }
  return counters;
}

} // namespace heddle
