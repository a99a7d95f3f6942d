// heddle inspect: where the program receives, and what runs for one packet.
#include "analysis/points_to.h"
#include "cli/command.h"
#include "cli/json_option.h"
#include "cli/workspace.h"

#include "program/inspect.h"
#include "support/file.h"
#include "support/progress.h"
#include "toolchain/codegen.h"

#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle {

namespace {

struct Options {
  WorkspaceOptions workspace;
  JsonOption json;
};

llvm::Error run(const Options& options) {
  Progress progress("inspect");
  auto workspace = Workspace::open(options.workspace);
  if (!workspace) return workspace.takeError();
  auto program = workspace->prepared();
  if (!program) return program.takeError();

  auto folder = TemporaryFolder::create("heddle-inspect");
  if (!folder) return folder.takeError();
  std::unique_ptr<llvm::Module> scratch = llvm::CloneModule(*program->module);
  if (llvm::Error error = emit_object(*scratch, folder->file("program.o"))) return error;
  auto code_bytes = code_bytes_of(folder->file("program.o"));
  if (!code_bytes) return code_bytes.takeError();
  std::unique_ptr<PointsTo> points_to = PointsTo::run(*program->module);
  InspectSources sources;
  sources.code_bytes = *code_bytes;
  sources.targets = [&](const llvm::CallBase& call) { return points_to->callees(call).vec(); };

  Inspection inspection = inspect(*program, sources);
  for (const std::string& name : workspace->image().without_bitcode)
    inspection.remarks.push_back({"no-bitcode", name, "linked as it is: Heddle cannot look inside",
                                  "build it with heddle cc to have it analysed"});
  progress.end();
  print_text(inspection, options.json.text());
  return options.json.print([&](llvm::raw_ostream& out) { print_json(inspection, out); });
}

} // namespace

void add_inspect(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("inspect", "print receive interfaces and packet bodies");
  auto options = std::make_shared<Options>();
  options->workspace.add_to(*command);
  options->json.add_to(*command);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
