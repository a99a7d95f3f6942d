// heddle bench: original and optimized in turn; the ratio with its interval.
#include "cli/command.h"
#include "cli/running.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

llvm::Error run(const ComparisonOptions& options) {
  auto result = bench_program(options.program, options.running);
  if (!result) return result.takeError();
  print_bench(*result, llvm::outs());
  return write_result(options.json, [&](llvm::json::OStream& json) { write_bench(*result, json); });
}

} // namespace

void add_bench(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("bench", "run original and optimized in turn; ratio with its interval");
  auto options = std::make_shared<ComparisonOptions>();
  options->add_to(*command);
  options->running.add_bench_to(*command);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
