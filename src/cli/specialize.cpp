// heddle specialize: a running XDP program, replaced by versions made for its tables.
#include "cli/command.h"

#include "specialize/bpf/session.h"
#include "support/diagnostic.h"

namespace heddle {

namespace {

struct Options : SpecializeOptions {
  bool once = false, dry_run = false;
};

llvm::Error run(const Options& options) {
  if (!options.once || !options.dry_run)
    return diagnose("only --once --dry-run is there so far",
                    "add both: they print what is known of the program's maps");
  auto session = BpfSession::open(options);
  if (!session) return session.takeError();
  session->print_analysis(llvm::outs());
  return llvm::Error::success();
}

} // namespace

void add_specialize(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("specialize", "specialize a running XDP program to its tables");
  auto options = std::make_shared<Options>();
  auto* which = command->add_option_group("program", "which program runs");
  which->add_option("--prog", options->program.id, "its id");
  which->add_option("--pin", options->program.pin, "where it is pinned");
  which->add_option("--dev", options->program.interface, "the network interface it is on");
  which->require_option(1);
  command
      ->add_option("--object", options->object,
                   "the object it was loaded from, built by `heddle cc -target bpf`")
      ->required();
  command->add_flag("--once", options->once, "make one version");
  command->add_flag("--dry-run", options->dry_run, "print what would be done, and do nothing");
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
