// heddle profile: runs the program on sample traffic and keeps which blocks each packet ran; or merges what such runs have kept.
#include "cli/command.h"
#include "cli/json_option.h"
#include "cli/workspace.h"

#include "host/hosts.h"
#include "profile/collect.h"
#include "profile/merge_traces.h"
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
  std::vector<std::string> merge; // profiles, and their weights; none: by their packets
  std::vector<double> weights;
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

llvm::Error merge(const Options& options, const Workspace& workspace, const Program& program,
                  const std::string& out) {
  if (options.merge.size() < 2)
    return diagnose("nothing to merge: there is one profile", "give two or more: --merge FILE FILE",
                    "--merge");
  if (!options.weights.empty() && options.weights.size() != options.merge.size())
    return diagnose(llvm::Twine(options.weights.size()) + " weights for " +
                        llvm::Twine(options.merge.size()) + " profiles",
                    "give one for each, or none: then each counts by its packets", "--weights");
  Step step("merge");
  std::vector<TraceToMerge> inputs;
  for (size_t i = 0; i != options.merge.size(); ++i) {
    auto trace = read_trace(options.merge[i], program.id);
    if (!trace) return trace.takeError();
    if (trace->packets.empty())
      return diagnose("the profile has no packet", "leave it out", options.merge[i]);
    const double weight = options.weights.empty() ? double(trace->packets_seen) : options.weights[i];
    inputs.push_back({options.merge[i], std::move(*trace), weight});
  }
  auto footprint = map_footprint(workspace.image(), program);
  if (!footprint) return footprint.takeError();
  const Merged merged = merge_traces(inputs, program, *footprint);
  if (llvm::Error error = write_trace(merged.trace, out)) return error;
  step.done(llvm::Twine(merged.trace.packets.size()) + " packets of " + llvm::Twine(inputs.size()) +
            " profiles, in " + out);
  print_merged(merged, options.json.text());
  return options.json.write([&](llvm::json::OStream& json) { write_merged(merged, json); });
}

llvm::Error run(const Options& options) {
  auto workspace = Workspace::open(options.workspace);
  if (!workspace) return workspace.takeError();
  Step prepare("prepare");
  auto program = workspace->prepared();
  if (!program) return program.takeError();
  prepare.done(llvm::Twine(program->bodies.size()) + " packet bodies");
  std::string profile = options.out.empty() ? workspace->profile_file() : options.out;
  if (!options.merge.empty()) return merge(options, *workspace, *program, profile);
  Step step("profile");
  auto args = workspace->arguments(options.args);
  if (!args) return args.takeError();
  ProfileOptions profiling = options.profile;
  profiling.last_level_bytes = own_last_level_bytes();
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
  command->add_option(
      "--dcache", profile.dcache,
      "data caches to simulate, SIZE:WAYS of three levels (default: the host's, of the last one what "
      "`heddle calibrate` found it to have)");
  command->add_option("--accesses", profile.accesses, "accesses of memory to simulate at most; 0: none")
      ->capture_default_str();
  command->add_flag("--print", options->print, "print a summary: hot functions, paths, simulated misses");
  auto* merge = command->add_option("--merge", options->merge,
                                    "run nothing: make one profile out of these, of other hosts or runs of "
                                    "the same build, each counting by its packets");
  command
      ->add_option("--weights", options->weights,
                   "of the profiles to merge, in place of their packets: 1,2.5,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber)
      ->needs(merge);
  options->json.add_to(*command);
  auto* args = command->add_option("ARGS", options->args,
                                   "after --: the program's arguments; {out} is a folder where it may write");
  merge->excludes(args);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
