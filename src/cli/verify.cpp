// heddle verify: same input, same output, byte by byte; with --dependencies, same order of all that conflicts.
#include "cli/command.h"
#include "cli/kept.h"
#include "cli/running.h"
#include "cli/workspace.h"

#include "program/open.h"
#include "support/diagnostic.h"
#include "support/progress.h"
#include "verify/dependencies/check.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  ComparisonOptions comparison;
  WorkspaceOptions workspace; // of --dependencies
  std::string plan;
  bool dependencies = false, staged = false;
};

llvm::Error compare_outputs(const ComparisonOptions& options, const std::string& work_folder) {
  Progress progress("verify");
  auto result = verify_program(options.program, options.running);
  if (!result) return result.takeError();
  progress.end();
  print_verify(*result, options.json.text());
  if (llvm::Error error = options.json.write([&](llvm::json::OStream& json) { write_verify(*result, json); }))
    return error;
  if (llvm::Error error = keep_verify(work_folder, options.running.command, *result)) return error;
  if (result->verdict == Verdict::Identical) return llvm::Error::success();
  return diagnose(
      "the outputs are not shown to be identical",
      result->verdict == Verdict::Different
          ? "do not use the optimized program; please report its plan with this difference"
          : "give a program and input that repeat themselves, or declare what differs with --filter",
      options.program);
}

llvm::Error compare_order(const Options& options) {
  Progress progress("verify");
  WorkspaceOptions where = options.workspace;
  where.program = options.comparison.program;
  auto workspace = Workspace::open(where);
  if (!workspace) return workspace.takeError();
  const std::string plan_file = options.plan.empty() ? workspace->plan_file() : options.plan;
  auto plan = read_plan(plan_file);
  if (!plan) return plan.takeError();
  workspace->declare(plan->declarations);
  auto program = workspace->prepared();
  if (!program) return program.takeError();
  if (llvm::Error error = check_build(*plan, program->id, plan_file)) return error;
  if (llvm::Error error = open_program(*program, plan->openings).takeError()) return error;
  auto result = check_dependencies(workspace->image(), *program, *plan, options.comparison.running.command,
                                   options.staged ? Order::Staged : Order::Original);
  if (!result) return result.takeError();
  progress.end();
  print_dependencies(*result, options.comparison.json.text());
  if (llvm::Error error = options.comparison.json.write(
          [&](llvm::json::OStream& json) { write_dependencies(*result, json); }))
    return error;
  if (result->violations.empty()) return llvm::Error::success();
  llvm::outs().flush(); // what the error speaks of stands before it
  return diagnose("the plan reverses the order of accesses that conflict, at " +
                      llvm::Twine(result->violations.size()) + " pairs of places",
                  plan->checked == decisions_digest(*plan)
                      ? "do not use the optimized program; please report its plan with this list"
                      : "the plan was edited: move its sites out of what the list names",
                  options.comparison.program);
}

} // namespace

void add_verify(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("verify", "run original and optimized on the same input; compare all output");
  auto options = std::make_shared<Options>();
  options->comparison.add_to(*command);
  command
      ->add_option("--output", options->comparison.running.command.outputs,
                   "a file the program writes (those in {out} are found)")
      ->allow_extra_args(false);
  options->comparison.running.add_verify_to(*command);
  auto* dependencies = command->add_flag(
      "--dependencies", options->dependencies,
      "instead: run the original with every access of memory watched; list those that the plan reverses");
  command->add_option("--plan", options->plan, "of --dependencies: the plan (default: in the work folder)")
      ->needs(dependencies);
  command
      ->add_flag(
          "--staged", options->staged,
          "of --dependencies: run the packets in the plan's order, and list the accesses that changed places")
      ->needs(dependencies);
  options->workspace.add_folder_to(*command);
  command->callback([&chosen, options] {
    chosen = [options] {
      if (options->dependencies) return compare_order(*options);
      WorkspaceOptions where = options->workspace;
      where.program = options->comparison.program;
      return compare_outputs(options->comparison, where.work_folder());
    };
  });
}

} // namespace heddle
