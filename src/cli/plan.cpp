// heddle plan: analyses the program, decides where to cut, and says why; or measures what it would be like otherwise.
#include "cli/command.h"
#include "cli/json_option.h"
#include "cli/kept.h"
#include "cli/planning.h"
#include "cli/sweep.h"
#include "cli/workspace.h"
#include "plan/simulate.h"
#include "program/claims.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  WorkspaceOptions workspace;
  PlanningOptions planning;
  std::string profile, out, icache = "32K:8";
  JsonOption json;
  RunningOptions running; // of a sweep
  bool print = false, explain = false, sweep = false;
};

llvm::Error sweep(const Options& options, const Workspace& workspace) {
  Step step("sweep");
  auto sweep = sweep_plans(workspace, options.profile.empty() ? workspace.profile_file() : options.profile,
                           options.planning, options.workspace.program, options.running);
  if (!sweep) return sweep.takeError();
  step.done(llvm::Twine(sweep->plans.size()) + " ways, " + llvm::Twine(sweep->bench.rounds) + " rounds");
  print_sweep(*sweep, options.json.text());
  if (llvm::Error error = keep_sweep(workspace.folder(), options.running.command, *sweep)) return error;
  return options.json.write([&](llvm::json::OStream& json) { write_sweep(*sweep, json); });
}

llvm::Error run(const Options& options) {
  auto workspace = Workspace::open(options.workspace);
  if (!workspace) return workspace.takeError();
  if (options.sweep) return sweep(options, *workspace);
  auto caches = parse_geometries(options.icache);
  if (!caches) return caches.takeError();
  auto program = workspace->prepared();
  if (!program) return program.takeError();
  auto trace = read_trace(options.profile.empty() ? workspace->profile_file() : options.profile, program->id);
  if (!trace) return trace.takeError();
  Step step("plan");
  PlanningOptions planning = options.planning;
  planning.declare(with_annotations(workspace->declarations(), *program->module));
  auto decided = decide(workspace->image(), *program, *trace, planning);
  if (!decided) return decided.takeError();
  const Plan& plan = decided->plan;
  std::string out = options.out.empty() ? workspace->plan_file() : options.out;
  if (llvm::Error error = write_plan(plan, out)) return error;
  if (options.out.empty())
    if (llvm::Error error = keep_path(*workspace, *program, *trace, *decided)) return error;
  step.done(summary_of(plan) + ", " + trust_of(plan) + ", in " + out);
  if (options.print) print_plan(plan, options.json.text());
  if (options.explain) explain_plan(plan, options.json.text());
  if (llvm::Error error = options.json.write([&](llvm::json::OStream& json) { write_plan(plan, json); }))
    return error;
  if (!options.print) return llvm::Error::success();
  auto simulated = simulate(*trace, decided->study, plan, *caches);
  if (!simulated) return simulated.takeError();
  print_misses(*simulated, options.json.text());
  return llvm::Error::success();
}

} // namespace

void add_plan(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("plan", "find shared locations and legal cuts; decide; explain");
  auto options = std::make_shared<Options>();
  options->workspace.add_to(*command);
  options->planning.add_to(*command);
  command->add_option("--profile", options->profile, "the profile (default: in the work folder)");
  command->add_option("-o,--output", options->out, "the plan (default: in the work folder)");
  command->add_option("--icache", options->icache, "geometries to simulate, SIZE:WAYS,...")
      ->capture_default_str();
  command->add_flag("--print", options->print, "print the plan as text");
  command->add_flag("--explain", options->explain,
                    "say which shared locations stand in the way, largest window first");
  auto* sweep = command->add_flag(
      "--sweep", options->sweep,
      "measure instead: the program planned in every way, and the original, in turn; plan.json stays");
  options->running.add_run_to(*command);
  options->running.add_filter_to(*command);
  options->running.add_bench_to(*command);
  options->json.add_to(*command);
  command
      ->add_option("ARGS", options->running.command.args,
                   "of --sweep, after --: the program's arguments; {out} is the run's folder")
      ->needs(sweep);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
