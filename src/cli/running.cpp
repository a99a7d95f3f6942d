#include "cli/running.h"

#include "support/diagnostic.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

// Run from another folder, so paths must not depend on where Heddle was started.
llvm::Expected<std::string> absolute_program(const std::string& path, llvm::StringRef hint) {
  llvm::SmallString<256> absolute(path);
  (void)llvm::sys::fs::make_absolute(absolute);
  if (!llvm::sys::fs::exists(absolute)) return diagnose("no such program", hint, path);
  return absolute.str().str();
}

} // namespace

llvm::Expected<Variant> original_variant(const std::string& program) {
  auto path = absolute_program(program, "give the path of the program as heddle cc built it");
  if (!path) return path.takeError();
  return Variant{"original", *path, {}};
}

namespace {

llvm::Expected<std::vector<Variant>> variants_of(const std::string& program, const RunningOptions& options,
                                                 llvm::ArrayRef<unsigned> batches) {
  auto original = original_variant(program);
  if (!original) return original.takeError();
  std::string built = options.optimized.empty() ? program + ".heddle" : options.optimized;
  auto optimized = absolute_program(built, "make it with `heddle build` or `heddle optimize`");
  if (!optimized) return optimized.takeError();
  std::vector<Variant> variants{std::move(*original)};
  for (unsigned batch : batches)
    // However few packets are there: what is compared, or measured, is what staging does.
    variants.push_back({"batch " + std::to_string(batch),
                        *optimized,
                        {{"HEDDLE_BATCH", std::to_string(batch)}, {"HEDDLE_LEAST_BATCH", "0"}}});
  return std::move(variants);
}

} // namespace

void RunningOptions::add_run_to(CLI::App& app) {
  app.add_option("--stdin", command.stdin_path, "the program's standard input")->capture_default_str();
  app.add_option("--timeout", command.timeout_seconds, "seconds a run may take (0: any)")
      ->capture_default_str();
}

void RunningOptions::add_filter_to(CLI::App& app) {
  app.add_option(
         "--filter", filters,
         "text that may differ: CHANNEL:/PATTERN/REPLACEMENT/, or times, dates, durations, rates, pids, "
         "addresses")
      ->allow_extra_args(false);
}

void RunningOptions::add_verify_to(CLI::App& app) {
  add_filter_to(app);
  app.add_option("--batches", batches, "batch sizes to compare at")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
}

void RunningOptions::add_bench_to(CLI::App& app) {
  app.add_option("--metric", metric,
                 "cpu, wall, or a regular expression with one group for a figure that the program prints "
                 "(lower:REGEX where less is better)")
      ->capture_default_str();
  app.add_option("--pairs", pairs, "rounds of runs in turn")
      ->check(CLI::Range(7, 1000))
      ->capture_default_str();
  app.add_option("--seconds", budget_seconds,
                 "stop after so long, but not before seven rounds (0: no limit)");
}

void ComparisonOptions::add_to(CLI::App& app) {
  app.add_option("PROGRAM", program, "executable built with heddle cc")->required();
  app.add_option("--optimized", running.optimized, "the optimized program (default: PROGRAM.heddle)");
  running.add_run_to(app);
  json.add_to(app);
  app.add_option("ARGS", running.command.args,
                 "after --: the program's arguments; {out} is the run's folder");
}

llvm::Expected<BenchOptions> bench_options(const RunningOptions& options) {
  BenchOptions bench;
  bench.command = options.command;
  auto metric = parse_metric(options.metric);
  if (!metric) return metric.takeError();
  bench.metric = std::move(*metric);
  bench.pairs = options.pairs;
  bench.budget_seconds = options.budget_seconds;
  return bench;
}

llvm::Expected<VerifyOptions> verify_options(const RunningOptions& options) {
  VerifyOptions verify;
  verify.command = options.command;
  for (const std::string& text : options.filters) {
    auto filter = parse_filter(text);
    if (!filter) return filter.takeError();
    verify.filters.push_back(std::move(*filter));
  }
  return std::move(verify);
}

llvm::Expected<VerifyResult> verify_program(const std::string& program, const RunningOptions& options) {
  auto variants = variants_of(program, options, options.batches);
  if (!variants) return variants.takeError();
  auto verify = verify_options(options);
  if (!verify) return verify.takeError();
  return verify_outputs(*variants, *verify);
}

llvm::Expected<BenchResult> bench_program(const std::string& program, const RunningOptions& options) {
  auto variants = variants_of(program, options, {});
  if (!variants) return variants.takeError();
  auto with_plan = variants_of(program, options, {1});
  if (!with_plan) return with_plan.takeError();
  Variant unstaged = with_plan->back();
  unstaged.name = "optimized, staging off";
  variants->push_back({"optimized", unstaged.program, {}});
  variants->push_back(std::move(unstaged));
  auto how = bench_options(options);
  if (!how) return how.takeError();
  return bench(*variants, *how);
}

} // namespace heddle
