// heddle optimize: everything in order, one line per step.
#include "cli/command.h"
#include "cli/json_option.h"
#include "cli/kept.h"
#include "cli/planning.h"
#include "cli/running.h"
#include "cli/workspace.h"

#include "host/hosts.h"
#include "plan/simulate.h"
#include "profile/collect.h"
#include "program/claims.h"
#include "support/diagnostic.h"
#include "support/file.h"
#include "support/remark_json.h"
#include "transform/build.h"

#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  WorkspaceOptions workspace;
  PlanningOptions planning;
  ProfileOptions profile;
  RunningOptions running;
  std::string out, icache = "32K:8", bench_args;
  std::vector<std::string> args;
  JsonOption json;
  bool skip_bench = false;
};

struct Outcome {
  const Options& options;
  ProfileResult profile;
  Plan plan;
  double analysis_seconds = 0;
  std::vector<SimulatedMisses> misses;
  VerifyResult verified;
  std::optional<BenchResult> benched;

  // Measured so that chance is no explanation.
  bool is_slower() const { return benched && benched->variants[1].ratio.high < 1; }
};

void write_outcome(const Outcome& outcome, llvm::json::OStream& json) {
  json.attribute("program", outcome.options.workspace.program);
  json.attribute("packets", int64_t(outcome.profile.packets_seen));
  write_size(outcome.plan, json);
  json.attribute("analysis_seconds", outcome.analysis_seconds);
  json.attributeArray("mpki", [&] {
    for (const SimulatedMisses& cache : outcome.misses)
      json.object([&] {
        json.attribute("cache", cache.cache);
        json.attribute("simulated", true);
        json.attribute("original", cache.original.mpki());
        json.attribute("staged", cache.staged.mpki());
      });
  });
  json.attributeArray("remarks", [&] {
    for (const Remark& remark : outcome.plan.remarks)
      json.value(as_json(remark));
  });
  if (!outcome.plan.stages_anything()) return;
  json.attribute("kept", !outcome.is_slower());
  json.attribute("identical", outcome.verified.verdict == Verdict::Identical);
  json.attributeObject("verify", [&] { write_verify(outcome.verified, json); });
  if (!outcome.benched) return;
  const Interval& ratio = outcome.benched->variants[1].ratio;
  const Interval& unstaged = outcome.benched->variants[2].ratio;
  json.attribute("ratio", ratio.median);
  json.attributeArray("ratio_ci", [&] {
    json.value(ratio.low);
    json.value(ratio.high);
  });
  json.attribute("ratio_staging_off", unstaged.median);
  json.attributeObject("bench", [&] { write_bench(*outcome.benched, json); });
}

llvm::Error finish(const Outcome& outcome) {
  return outcome.options.json.write([&](llvm::json::OStream& json) { write_outcome(outcome, json); });
}

void say_why_not(const Plan& plan, llvm::raw_ostream& out) {
  out << "\nThe program is left alone: no cut is legal and worth it.\n";
  for (const Remark& remark : plan.remarks) {
    out << "  " << remark.code << ": " << remark.what << "\n";
    if (!remark.hint.empty()) out << "    hint: " << remark.hint << "\n";
  }
  out << "`heddle plan --explain` names the shared locations that stand in the way.\n";
}

void summarise(const Outcome& outcome, const std::string& built, const std::string& work_folder) {
  llvm::raw_ostream& out = outcome.options.json.text();
  out << '\n';
  print_misses(outcome.misses, out);
  if (outcome.benched) print_bench(*outcome.benched, out);
  out << "\n"
      << built << ": " << summary_of(outcome.plan) << ", outputs " << verdict_name(outcome.verified.verdict);
  if (outcome.benched)
    out << llvm::format(", %.3f times the original", outcome.benched->variants[1].ratio.median);
  out << ".\n`heddle report " << work_folder << "` shows all of it.\n";
  if (!outcome.is_slower()) return;
  out << "It is slower than the original here, so it was removed: the program is left alone.\n"
         "    hint: `heddle calibrate` measures what the models go by; `heddle plan --sweep` measures other "
         "plans\n";
}

// The whole way, in the order in which it happens.
llvm::Error run(const Options& options) {
  std::string host = host_icache().str();
  bool add_host = options.icache == "32K:8" && host != options.icache;
  auto caches = parse_geometries(add_host ? options.icache + "," + host : options.icache);
  if (!caches) return caches.takeError();
  Outcome outcome{options, {}, {}, 0, {}, {}, {}};

  // The linked program, with the bitcode of everything that went in.
  auto workspace = Workspace::open(options.workspace);
  if (!workspace) return workspace.takeError();

  // One module with outlined packet bodies. From here on its blocks are fixed.
  Step prepare("prepare");
  auto program = workspace->prepared();
  if (!program) return program.takeError();
  prepare.done(llvm::Twine(program->bodies.size()) +
               (program->bodies.size() == 1 ? " packet body" : " packet bodies"));

  // Which blocks each packet ran.
  Step profile("profile");
  auto args = workspace->arguments(options.args);
  if (!args) return args.takeError();
  ProfileOptions profiling = options.profile;
  profiling.last_level_bytes = own_last_level_bytes();
  profiling.stdin_path = options.running.command.stdin_path;
  profiling.timeout_seconds = options.running.command.timeout_seconds;
  profiling.stdout_path = workspace->file("profile.stdout");
  profiling.stderr_path = workspace->file("profile.stderr");
  auto collected = collect_profile(workspace->image(), *program, *args, profiling, workspace->profile_file());
  if (!collected) return collected.takeError();
  outcome.profile = *collected;
  auto trace = read_trace(workspace->profile_file(), program->id);
  if (!trace) return trace.takeError();
  profile.done(llvm::Twine(collected->packets) + " of " + llvm::Twine(collected->packets_seen) + " packets");

  // What packets share, which cuts are legal, which pay.
  Step planning("plan");
  PlanningOptions chosen = options.planning;
  chosen.declare(with_annotations(workspace->declarations(), *program->module));
  auto decided = decide(workspace->image(), *program, *trace, chosen);
  if (!decided) return decided.takeError();
  if (llvm::Error error = write_plan(decided->plan, workspace->plan_file())) return error;
  if (llvm::Error error = keep_path(*workspace, *program, *trace, *decided)) return error;
  outcome.plan = std::move(decided->plan);
  const Plan& plan = outcome.plan;
  outcome.analysis_seconds = decided->study.analysis_seconds;
  auto misses = simulate(*trace, decided->study, plan, *caches);
  if (!misses) return misses.takeError();
  outcome.misses = std::move(*misses);
  planning.done(summary_of(plan) + ", " + trust_of(plan));
  if (!plan.stages_anything()) {
    say_why_not(plan, options.json.text());
    return finish(outcome);
  }

  // Sites in, linked with the runtime; under its final name only once it is shown to do the same, and to pay.
  std::string built = options.out.empty() ? options.workspace.program + ".heddle" : options.out;
  std::string candidate = built + ".unverified";
  auto undo = UndoWhenInterrupted::remove(candidate);
  Step build("build");
  if (llvm::Error error = build_program(workspace->image(), *program, plan, candidate)) return error;
  build.done(built);

  Step verify("verify");
  RunningOptions running = options.running;
  running.optimized = candidate;
  running.command.args = options.args;
  auto verified = verify_program(options.workspace.program, running);
  if (verified)
    if (llvm::Error error = keep_verify(workspace->folder(), running.command, *verified))
      verified = std::move(error);
  if (!verified || verified->verdict != Verdict::Identical) {
    if (verified) print_verify(*verified, options.json.text());
    (void)llvm::sys::fs::remove(candidate);
    if (!verified) return verified.takeError();
    return diagnose("the staged program's outputs are not shown to be identical; it was removed",
                    "declare clocks and the like with --filter, or report the plan if the outputs are wrong",
                    options.workspace.program);
  }
  outcome.verified = std::move(*verified);
  verify.done("identical at every batch size");

  if (!options.skip_bench) {
    Step bench("bench");
    if (!options.bench_args.empty()) {
      llvm::BumpPtrAllocator memory;
      llvm::StringSaver saver(memory);
      llvm::SmallVector<const char*, 32> words;
      llvm::cl::TokenizeGNUCommandLine(options.bench_args, saver, words);
      running.command.args.assign(words.begin(), words.end());
    }
    auto benched = bench_program(options.workspace.program, running);
    if (benched)
      if (llvm::Error error = keep_bench(workspace->folder(), running.command, *benched))
        benched = std::move(error);
    if (!benched) {
      (void)llvm::sys::fs::remove(candidate);
      return benched.takeError();
    }
    bench.done(llvm::Twine(benched->rounds) + " rounds");
    outcome.benched = std::move(*benched);
  }
  if (outcome.is_slower())
    (void)llvm::sys::fs::remove(candidate);
  else if (llvm::Error error = rename_file(candidate, built))
    return error;
  summarise(outcome, built, workspace->folder());
  return finish(outcome);
}

} // namespace

void add_optimize(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("optimize", "profile, plan, build, verify and bench in one go");
  auto options = std::make_shared<Options>();
  RunningOptions& running = options->running;
  options->workspace.add_to(*command);
  options->planning.add_to(*command);
  command->add_option("-o,--output", options->out, "the optimized program (default: PROGRAM.heddle)");
  options->json.add_to(*command);
  command->add_option("--count", options->profile.count, "packets in the sample, spread over the input")
      ->capture_default_str();
  command->add_option("--share", options->profile.share, "per cent of the packets to profile")
      ->capture_default_str();
  command->add_option("--icache", options->icache,
                      "geometries to simulate, SIZE:WAYS,... (default: 32K:8 and the host's)");
  running.add_run_to(*command);
  command->add_option("--bench-args", options->bench_args, "other arguments for the bench, as one string");
  command->add_flag("--no-bench", options->skip_bench, "stop after verifying");
  running.add_verify_to(*command);
  running.add_bench_to(*command);
  command->add_option("ARGS", options->args, "after --: the program's arguments; {out} is the run's folder");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
