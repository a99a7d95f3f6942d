#include "profile/collect.h"

#include "profile/instrument.h"
#include "profile/loads.h"
#include "profile/raw_trace.h"
#include "program/claims.h"
#include "program/expensive.h"
#include "program/own_objects.h"
#include "support/file.h"
#include "support/installed.h"
#include "support/process.h"
#include "support/progress.h"
#include "toolchain/codegen.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <chrono>
#include <csignal>
#include <cstring>

namespace heddle {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

llvm::Error build(const ProgramImage& image, const Program& program, const TemporaryFolder& folder,
                  const std::string& executable, bool loads, ProfileResult& result) {
  llvm::Expected<std::string> runtime = profile_runtime();
  if (!runtime) return runtime.takeError();
  std::unique_ptr<llvm::Module> clone = llvm::CloneModule(*program.module);
  drop_claims(*clone, {});
  drop_own_objects(*clone);
  finish_expensive(*clone);
  auto count = instrument(*clone, {program.id, image.link.shared, loads});
  if (!count) return count.takeError();
  result.functions = count->functions;
  result.blocks = count->blocks;
  std::string object = folder.file("instrumented.o");
  if (llvm::Error error = emit_object(*clone, object)) return error;
  return relink(image, {object}, {*runtime}, executable);
}

// Signals that the profile runtime turns into a complete trace: how one ends a server.
bool ends_a_server(int signal) {
  return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

llvm::Error check_end(const ProgramImage& image, const ProcessResult& ended, const ProfileOptions& options,
                      bool complete) {
  if (ended.timed_out && !complete)
    return diagnose("the profiled program did not end within " + llvm::Twine(options.timeout_seconds) + " s",
                    "allow it more time (--timeout), or record fewer packets (--count)", image.path);
  int signal = ended.exit_status - 128;
  if (ended.timed_out || signal <= 0 || signal >= NSIG || ends_a_server(signal))
    return llvm::Error::success();
  return diagnose(llvm::Twine("the profiled program crashed: ") + strsignal(signal) + " (signal " +
                      llvm::Twine(signal) + ")",
                  "run the original on the same arguments; if that does not crash, report this", image.path);
}

llvm::Error no_packet(const ProgramImage& image, const ProcessResult& ended, const ProfileOptions& options) {
  std::string what = "the profiled run saw no packet", hint = "give it traffic, or name the body with --body";
  if (ended.exit_status) what += ", and ended with status " + std::to_string(ended.exit_status);
  if (!options.stderr_path.empty()) hint += "; what it said is in " + options.stderr_path;
  return diagnose(what, hint, image.path);
}

} // namespace

llvm::Expected<std::string> profile_runtime() {
  std::string path = installed_file("libheddle_profile_rt.a");
  if (!llvm::sys::fs::exists(path))
    return diagnose("the profile runtime is missing", "set HEDDLE_LIB to the folder that holds it", path);
  return path;
}

llvm::Expected<ProfileResult> collect_profile(const ProgramImage& image, const Program& program,
                                              llvm::ArrayRef<std::string> args, const ProfileOptions& options,
                                              llvm::StringRef out_path) {
  ProfileResult result;
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create("heddle-profile");
  if (!folder) return folder.takeError();
  // Named like the original: programs look at argv[0], and so do people in a list of processes.
  std::string executable = folder->file(llvm::sys::path::filename(image.path)),
              raw = folder->file("raw.trace");
  Clock::time_point begin = Clock::now();
  if (llvm::Error error = build(image, program, *folder, executable, options.accesses != 0, result))
    return std::move(error);
  result.build_seconds = seconds_since(begin);

  const std::string loads = folder->file("loads");
  if (options.accesses) {
    auto caches = data_caches(options.dcache);
    if (!caches) return caches.takeError();
    if (options.dcache.empty() && options.last_level_bytes != 0)
      caches->levels[2].bytes = std::min(caches->levels[2].bytes, options.last_level_bytes);
    size_t count = counted_loads(*program.module).size();
    if (llvm::Error error =
            make_loads_file(loads, count, timed_calls(*program.module).size(), *caches, options.accesses))
      return std::move(error);
  }
  ProcessOptions run;
  run.environment = {{"HEDDLE_PROFILE_OUT", raw},
                     {"HEDDLE_PROFILE_COUNT", std::to_string(options.count)},
                     {"HEDDLE_PROFILE_SHARE", std::to_string(options.share)},
                     {"HEDDLE_PROFILE_RUN", std::to_string(options.run)},
                     {"HEDDLE_PROFILE_LOADS", options.accesses ? loads : ""}};
  run.stdin_path = options.stdin_path;
  run.stdout_path = options.stdout_path;
  run.stderr_path = options.stderr_path;
  run.directory = options.directory;
  run.timeout_seconds = options.timeout_seconds;
  llvm::Expected<ProcessResult> ended = [&] {
    // How many packets the input has is not known, but how long it may take at most may be.
    const Clock::time_point start = Clock::now();
    const FollowedProgress progress([&] {
      return ProgressMade{llvm::formatv("{0} packets recorded", raw_progress(raw)), seconds_since(start),
                          double(options.timeout_seconds)};
    });
    return run_process(executable, args, run);
  }();
  if (!ended) return ended.takeError();

  progress_at("reading what it recorded");
  llvm::Expected<Trace> trace = read_raw_traces(raw, program.id, {options.count, options.run});
  if (llvm::Error error = check_end(image, *ended, options, bool(trace))) {
    if (!trace) llvm::consumeError(trace.takeError());
    return std::move(error);
  }
  if (!trace) return trace.takeError();
  if (trace->packets.empty()) return no_packet(image, *ended, options);
  result.packets = trace->packets.size();
  result.packets_seen = trace->packets_seen;
  result.packets_dropped = trace->packets_dropped;
  result.events = trace->events.size();
  result.exit_status = ended->exit_status;
  result.timed_out = ended->timed_out;
  result.run_seconds = ended->wall_seconds;
  if (options.accesses) {
    auto counts = read_loads_file(loads, *program.module);
    if (!counts) return counts.takeError();
    trace->loads = std::move(counts->loads);
    trace->calls = std::move(counts->calls);
  }
  if (llvm::Error error = write_trace(*trace, out_path)) return std::move(error);
  return result;
}

} // namespace heddle
