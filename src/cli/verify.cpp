// heddle verify: same input, same output, byte by byte.
#include "cli/command.h"
#include "cli/running.h"

#include "support/diagnostic.h"
#include "support/file.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  std::string program, json;
  RunningOptions running;
};

llvm::Error run(const Options& options) {
  auto result = verify_program(options.program, options.running);
  if (!result) return result.takeError();
  print_verify(*result, llvm::outs());
  if (!options.json.empty())
    if (llvm::Error error = write_file(options.json, [&](llvm::raw_ostream& out) {
          llvm::json::OStream json(out, 2);
          json.object([&] { write_verify(*result, json); });
          out << '\n';
        }))
      return error;
  if (result->verdict == Verdict::Identical) return llvm::Error::success();
  return diagnose(
      "the outputs are not shown to be identical",
      result->verdict == Verdict::Different
          ? "do not use the optimized program; please report its plan with this difference"
          : "give a program and input that repeat themselves, or declare what differs with --filter",
      options.program);
}

} // namespace

void add_verify(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("verify", "run original and optimized on the same input; compare all output");
  auto options = std::make_shared<Options>();
  RunningOptions& running = options->running;
  command->add_option("PROGRAM", options->program, "executable built with heddle cc")->required();
  command->add_option("--optimized", running.optimized, "default: PROGRAM.heddle");
  command
      ->add_option("--output", running.command.outputs,
                   "a file the program writes (those in {out} are found)")
      ->allow_extra_args(false);
  command->add_option("--stdin", running.command.stdin_path, "the program's standard input")
      ->capture_default_str();
  command->add_option("--timeout", running.command.timeout_seconds, "seconds a run may take (0: any)");
  command->add_option("--json", options->json, "write the result as JSON");
  running.add_verify_to(*command);
  command->add_option("ARGS", running.command.args,
                      "after --: the program's arguments; {out} is the run's folder");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
