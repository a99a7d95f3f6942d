// heddle calibrate: measures this machine, for plans to go by.
#include "host/calibrate.h"
#include "cli/command.h"
#include "cli/json_option.h"
#include "host/hosts.h"
#include "support/file.h"
#include "support/progress.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

namespace {

struct Options {
  CalibrateOptions calibrate;
  std::string out, host;
  JsonOption json;
  bool show = false;
};

llvm::Error write_json(const Options& options, const Host& host) {
  return options.json.write([&](llvm::json::OStream& json) { write_host(host, json); });
}

llvm::Error show(const Options& options) {
  if (options.host.empty() && !llvm::sys::fs::exists(own_host_file()))
    return diagnose("this machine has not been calibrated", "do so with 'heddle calibrate'", own_host_file());
  // Also where the machine has changed: what was measured then.
  auto chosen = choose_host(options.host.empty() ? own_host_file() : options.host);
  if (!chosen) return chosen.takeError();
  print_host(*chosen->host, options.json.text());
  if (llvm::Error error = write_json(options, *chosen->host)) return error;
  if (!options.host.empty()) return llvm::Error::success();
  if (std::string changes = changes_since(*chosen->host, describe_machine()); !changes.empty())
    options.json.text() << "\nThis machine has changed since: " << changes
                        << ".\nPlans do not use these figures; calibrate it again with 'heddle calibrate'.\n";
  return llvm::Error::success();
}

llvm::Error run(const Options& options) {
  if (options.show) return show(options);
  // Before half a minute is spent on what could not be kept.
  if (options.out.empty())
    if (llvm::Error error = make_host_folder()) return error;
  Progress progress("calibrate");
  auto host = calibrate(options.calibrate);
  progress.end();
  if (!host) return host.takeError();
  const std::string file = options.out.empty() ? own_host_file() : options.out;
  if (llvm::Error error = write_host(*host, file)) return error;
  llvm::errs() << llvm::formatv("heddle: calibrate: in {0}\n", file);
  return write_json(options, *host);
}

} // namespace

void add_calibrate(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("calibrate", "measure this machine, for plans to go by (under a minute)");
  auto options = std::make_shared<Options>();
  auto* show = command->add_flag("--show", options->show, "print what was measured, and measure nothing");
  command
      ->add_option("--host", options->host,
                   "of --show: another host's file, or a stored host's name (default: this machine)")
      ->needs(show);
  auto* out =
      command->add_option("-o,--output", options->out,
                          "the file (default: this machine's, in $HEDDLE_HOSTS or ~/.config/heddle/hosts)");
  command
      ->add_option("--noise", options->calibrate.most_noise_percent,
                   "per cent that repetitions of the same thing may spread over; else nothing is measured")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command
      ->add_flag("--quick", options->calibrate.quick,
                 "with -o: little code and data, few repetitions; to see that it works, not for plans")
      ->needs(out);
  options->json.add_to(*command);
  command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace heddle
