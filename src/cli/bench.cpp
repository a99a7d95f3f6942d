// heddle bench: original and optimized in turn; the ratio with its interval.
#include "cli/command.h"
#include "cli/running.h"

#include "support/file.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  std::string program, json;
  RunningOptions running;
};

llvm::Error run(const Options& options) {
  auto result = bench_program(options.program, options.running);
  if (!result) return result.takeError();
  print_bench(*result, llvm::outs());
  if (options.json.empty()) return llvm::Error::success();
  return write_file(options.json, [&](llvm::raw_ostream& out) {
    llvm::json::OStream json(out, 2);
    json.object([&] { write_bench(*result, json); });
    out << '\n';
  });
}

} // namespace

void add_bench(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("bench", "run original and optimized in turn; ratio with its interval");
  auto options = std::make_shared<Options>();
  RunningOptions& running = options->running;
  command->add_option("PROGRAM", options->program, "executable built with heddle cc")->required();
  command->add_option("--optimized", running.optimized, "default: PROGRAM.heddle");
  command->add_option("--stdin", running.command.stdin_path, "the program's standard input")
      ->capture_default_str();
  command->add_option("--timeout", running.command.timeout_seconds, "seconds a run may take (0: any)");
  command->add_option("--json", options->json, "write the result as JSON");
  running.add_bench_to(*command);
  command->add_option("ARGS", running.command.args,
                      "after --: the program's arguments; {out} is the run's folder");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
