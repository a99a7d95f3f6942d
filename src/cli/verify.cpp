// heddle verify: same input, same output, byte by byte.
#include "cli/command.h"
#include "cli/running.h"

#include "support/diagnostic.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

llvm::Error run(const ComparisonOptions& options) {
  auto result = verify_program(options.program, options.running);
  if (!result) return result.takeError();
  print_verify(*result, llvm::outs());
  if (llvm::Error error =
          write_result(options.json, [&](llvm::json::OStream& json) { write_verify(*result, json); }))
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
  auto options = std::make_shared<ComparisonOptions>();
  options->add_to(*command);
  command
      ->add_option("--output", options->running.command.outputs,
                   "a file the program writes (those in {out} are found)")
      ->allow_extra_args(false);
  options->running.add_verify_to(*command);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
