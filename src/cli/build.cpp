// heddle build: applies the plan and links the optimized program.
#include "cli/command.h"
#include "cli/json_option.h"
#include "cli/workspace.h"
#include "plan/openings.h"
#include "plan/study.h"

#include "transform/build.h"

namespace heddle {

namespace {

struct Options {
  WorkspaceOptions workspace;
  std::string plan, profile, out;
  JsonOption json;
};

llvm::Error run(const Options& options) {
  auto workspace = Workspace::open(options.workspace);
  if (!workspace) return workspace.takeError();
  const std::string plan_file = options.plan.empty() ? workspace->plan_file() : options.plan;
  auto plan = read_plan(plan_file);
  if (!plan) return plan.takeError();
  workspace->declare(plan->declarations);
  auto program = workspace->prepared();
  if (!program) return program.takeError();
  if (llvm::Error error = check_build(*plan, program->id, plan_file)) return error;
  std::string out = options.out.empty() ? options.workspace.program + ".heddle" : options.out;
  if (plan->checked != decisions_digest(*plan)) {
    Step check("check of the edited plan");
    auto trace =
        read_trace(options.profile.empty() ? workspace->profile_file() : options.profile, program->id);
    if (!trace) return trace.takeError();
    if (llvm::Error error = open_traced(*program, *trace, plan->openings)) return error;
    if (llvm::Error error = check_edited_plan(*plan, workspace->image(), *program, *trace)) return error;
    check.done("every cut is legal");
  } else if (llvm::Error error = open_program(*program, plan->openings).takeError()) {
    return error;
  }
  Step step("build");
  if (llvm::Error error = build_program(workspace->image(), *program, *plan, out)) return error;
  step.done(plan->trust == "observed" ? out + ", " + trust_of(*plan) : out);
  return options.json.write([&](llvm::json::OStream& json) {
    json.attribute("program", llvm::json::fixUTF8(options.workspace.program));
    json.attribute("output", llvm::json::fixUTF8(out));
    json.attribute("plan", llvm::json::fixUTF8(plan_file));
    json.attribute("trust", plan->trust);
    write_size(*plan, json);
  });
}

} // namespace

void add_build(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("build", "apply the plan and link the optimized program");
  auto options = std::make_shared<Options>();
  options->workspace.add_to(*command);
  command->add_option("--plan", options->plan, "the plan (default: in the work folder)");
  command->add_option("--profile", options->profile,
                      "the profile that an edited plan is checked with (default: in the work folder)");
  command->add_option("-o,--output", options->out, "the optimized program (default: PROGRAM.heddle)");
  options->json.add_to(*command);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
