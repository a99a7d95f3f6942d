// heddle profile: runs the program on sample traffic and keeps which blocks each packet ran.
#include "cli/command.h"
#include "cli/json_option.h"
#include "cli/workspace.h"

#include "profile/collect.h"
#include "profile/summary.h"
#include "support/file.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  WorkspaceOptions workspace;
  ProfileOptions profile;
  std::string out, icache = "32K:8";
  JsonOption json;
  bool print = false;
  std::vector<std::string> args;
};

llvm::Error summarize(const Options& options, const Workspace& workspace, const Program& program,
                      const std::string& profile) {
  auto caches = parse_geometries(options.icache);
  if (!caches) return caches.takeError();
  auto trace = read_trace(profile, program.id);
  if (!trace) return trace.takeError();
  auto footprint = map_footprint(workspace.image(), program);
  if (!footprint) return footprint.takeError();
  ProfileSummary summary = heddle::summarize(std::move(*trace), program, *footprint, *caches);
  if (options.print) print_summary(summary, options.json.text());
  return options.json.print([&](llvm::raw_ostream& out) { print_summary_json(summary, out); });
}

llvm::Error run(const Options& options) {
  auto workspace = Workspace::open(options.workspace);
  if (!workspace) return workspace.takeError();
  Step prepare("prepare");
  auto program = workspace->prepared();
  if (!program) return program.takeError();
  prepare.done(llvm::Twine(program->bodies.size()) + " packet bodies");
  std::string profile = options.out.empty() ? workspace->profile_file() : options.out;
  Step step("profile");
  auto args = workspace->arguments(options.args);
  if (!args) return args.takeError();
  ProfileOptions profiling = options.profile;
  if (options.json.takes_stdout() && profiling.stdout_path.empty())
    profiling.stdout_path = workspace->file("profile.stdout");
  auto result = collect_profile(workspace->image(), *program, *args, profiling, profile);
  if (!result) return result.takeError();
  step.done(llvm::Twine(result->packets) + " of " + llvm::Twine(result->packets_seen) + " packets, " +
            llvm::Twine(result->events) + " blocks, in " + profile);
  if (!options.print && !options.json.wanted()) return llvm::Error::success();
  return summarize(options, *workspace, *program, profile);
}

} // namespace

void add_profile(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("profile", "run the program on sample traffic and log each packet's path");
  auto options = std::make_shared<Options>();
  options->workspace.add_to(*command);
  ProfileOptions& profile = options->profile;
  command->add_option("-o,--output", options->out, "the profile (default: in the work folder)");
  command->add_option("--count", profile.count, "packets in the sample, spread over the input")
      ->capture_default_str();
  command->add_option("--share", profile.share, "per cent of the packets to log")->capture_default_str();
  command
      ->add_option("--timeout", profile.timeout_seconds,
                   "seconds after which the program is stopped (0: never)")
      ->capture_default_str();
  command->add_option("--stdin", profile.stdin_path, "the program's standard input");
  command->add_option(
      "--stdout", profile.stdout_path,
      "where the program's standard output goes (default: to this one, or a file in the work folder "
      "if JSON goes there)");
  command->add_option("--icache", options->icache, "geometries to simulate, SIZE:WAYS,...")
      ->capture_default_str();
  command->add_option("--dcache", profile.dcache,
                      "data caches to simulate, SIZE:WAYS of three levels (default: the host's)");
  command->add_option("--accesses", profile.accesses, "accesses of memory to simulate at most; 0: none")
      ->capture_default_str();
  command->add_flag("--print", options->print, "print a summary: hot functions, paths, simulated misses");
  options->json.add_to(*command);
  command->add_option("ARGS", options->args,
                      "after --: the program's arguments; {out} is a folder where it may write");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
