// heddle top: what a running optimized program does with its packets, from the counters that it keeps.
#include "cli/command.h"
#include "cli/json_option.h"
#include "support/diagnostic.h"
#include "top/print.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <thread>

namespace heddle {

namespace {

struct Options {
  std::string file;
  uint32_t process = 0;
  double seconds = 1;
  bool once = false, prometheus = false;
  JsonOption json;
};

llvm::Expected<std::string> file_of(const Options& options) {
  if (options.process != 0) return counters_of_process(options.process);
  if (!options.file.empty()) return options.file;
  if (auto named = llvm::sys::Process::GetEnv("HEDDLE_COUNTERS"); named && !named->empty()) return *named;
  return diagnose("which program is not said",
                  "give the file that its HEDDLE_COUNTERS names, or its process: --pid N");
}

// Until the program has ended.
llvm::Error watch(const std::string& file, Counts before, double seconds) {
  const bool terminal = llvm::sys::Process::StandardOutIsDisplayed();
  for (Counts passed = before;;) {
    if (terminal) llvm::outs() << "\x1b[H\x1b[J";
    print_counts(before, passed, llvm::outs());
    if (!terminal) llvm::outs() << '\n';
    llvm::outs().flush();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    if (!llvm::sys::fs::exists(file)) {
      llvm::errs() << "heddle: top: " << before.program << " has ended\n";
      return llvm::Error::success();
    }
    auto now = read_counts(file);
    if (!now) return now.takeError();
    passed = since(*now, before);
    before = std::move(*now);
  }
}

llvm::Error run(const Options& options) {
  auto file = file_of(options);
  if (!file) return file.takeError();
  auto counts = read_counts(*file);
  if (!counts) return counts.takeError();
  if (options.json.wanted())
    if (llvm::Error error =
            options.json.write([&](llvm::json::OStream& json) { write_counts(*counts, json); }))
      return error;
  if (options.prometheus) print_prometheus(*counts, llvm::outs());
  if (options.prometheus || options.json.takes_stdout()) return llvm::Error::success();
  if (!options.once && !options.json.wanted()) return watch(*file, std::move(*counts), options.seconds);
  print_counts(*counts, *counts, llvm::outs());
  return llvm::Error::success();
}

} // namespace

void add_top(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("top", "show what a running optimized program does with its packets");
  auto options = std::make_shared<Options>();
  auto* file = command->add_option(
      "FILE", options->file,
      "the file that the program's HEDDLE_COUNTERS names (default: this $HEDDLE_COUNTERS)");
  command->add_option("--pid", options->process, "the program's process, in place of the file")
      ->excludes(file);
  command->add_option("--seconds", options->seconds, "time between two looks")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  command->add_flag("--once", options->once, "look once: rates are averages since the program began");
  auto* prometheus =
      command->add_flag("--prometheus", options->prometheus, "look once, and print Prometheus' text format");
  options->json.add_to(*command);
  command->get_option("--json")->excludes(prometheus);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
