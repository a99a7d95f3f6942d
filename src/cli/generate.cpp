// heddle generate: manual pages and completion, from the command line's own declarations. Run when Heddle is built.
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "support/diagnostic.h"
#include "support/file.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace heddle {

namespace {

struct Options {
  std::string folder, date;
};

// With the folders above it.
llvm::Error write_below(const std::string& folder, const std::string& name,
                        llvm::function_ref<void(llvm::raw_ostream&)> write) {
  const std::string path = folder + "/" + name;
  const llvm::StringRef parent = llvm::sys::path::parent_path(path);
  if (std::error_code ec = llvm::sys::fs::create_directories(parent))
    return diagnose("cannot make the folder: " + ec.message(), "give another one", parent);
  return write_file(path, write);
}

llvm::Error run(const CLI::App& app, const Options& options) {
  const std::vector<DescribedCommand> commands = describe(app);
  using llvm::raw_ostream;
  auto put = [&](const std::string& name, llvm::function_ref<void(raw_ostream&)> write) {
    return write_below(options.folder, name, write);
  };
  if (llvm::Error error =
          put("man/man1/heddle.1", [&](raw_ostream& out) { write_manual(commands, options.date, out); }))
    return error;
  for (const DescribedCommand& command : llvm::ArrayRef(commands).drop_front())
    if (llvm::Error error = put("man/man1/heddle-" + command.name + ".1",
                                [&](raw_ostream& out) { write_manual(command, options.date, out); }))
      return error;
  if (llvm::Error error = put("bash-completion/completions/heddle",
                              [&](raw_ostream& out) { write_bash_completion(commands, out); }))
    return error;
  if (llvm::Error error =
          put("zsh/site-functions/_heddle", [&](raw_ostream& out) { write_zsh_completion(commands, out); }))
    return error;
  return put("fish/vendor_completions.d/heddle.fish",
             [&](raw_ostream& out) { write_fish_completion(commands, out); });
}

} // namespace

void add_generate(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("generate", "write manual pages and completion below a folder");
  command->group(""); // of no use to users
  auto options = std::make_shared<Options>();
  command->add_option("FOLDER", options->folder, "such as PREFIX/share")->required();
  command->add_option("--date", options->date, "the pages' date, as 2026-01-31")->required();
  command->callback([&app, &chosen, options] { chosen = [&app, options] { return run(app, *options); }; });
}

} // namespace heddle
