// heddle specialize: a running XDP program, replaced by versions made for its tables.
#include "cli/command.h"

#include "specialize/bpf/session.h"
#include "support/diagnostic.h"

namespace heddle {

namespace {

struct Options : SpecializeOptions {
  bool once = false, dry_run = false;
};

llvm::Error run(Options options) {
  if (options.once) options.period_seconds = 0;
  auto session = BpfSession::open(options);
  if (!session) return session.takeError();
  if (!options.dry_run) return session->run(llvm::outs());
  session->print_analysis(llvm::outs());
  return session->print_version(llvm::outs());
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
  auto* period =
      command->add_option("--period", options->period_seconds, "seconds between looks at the tables");
  period->check(CLI::Range(0.01, 3600.0));
  command->add_flag("--once", options->once, "make one version, and stay with it until interrupted")
      ->excludes(period);
  command->add_flag("--dry-run", options->dry_run, "print what would be done; attach nothing");
  command->add_option("--disable", options->disabled, "leave out passes, by name")
      ->delimiter(',')
      ->check(CLI::IsMember(specialize_pass_names()));
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
