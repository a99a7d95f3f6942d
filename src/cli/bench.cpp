// heddle bench: original and optimized in turn; the ratio with its interval.
#include "cli/command.h"
#include "cli/kept.h"
#include "cli/running.h"

#include "support/progress.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  ComparisonOptions comparison;
  std::string work;
};

llvm::Error run(const Options& given) {
  const ComparisonOptions& options = given.comparison;
  Progress progress("bench");
  auto result = bench_program(options.program, options.running);
  if (!result) return result.takeError();
  progress.end();
  print_bench(*result, options.json.text());
  WorkspaceOptions where;
  where.program = options.program;
  where.folder = given.work;
  if (llvm::Error error = keep_bench(where.work_folder(), options.running.command, *result)) return error;
  return options.json.write([&](llvm::json::OStream& json) { write_bench(*result, json); });
}

} // namespace

void add_bench(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("bench", "run original and optimized in turn; ratio with its interval");
  auto options = std::make_shared<Options>();
  options->comparison.add_to(*command);
  options->comparison.running.add_bench_to(*command);
  command->add_option("--work", options->work,
                      "where the result is kept for `heddle report` (default: PROGRAM.heddle.d, if there)");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
