// heddle specialize: a running XDP program, replaced by versions made for its tables.
#include "cli/command.h"
#include "cli/config_file.h"
#include "cli/json_option.h"

#include "specialize/bpf/session.h"
#include "support/diagnostic.h"
#include "support/file.h"

namespace heddle {

namespace {

struct Options : SpecializeOptions {
  bool once = false, dry_run = false, watch = false;
  std::string prometheus; // file
  std::string config;     // heddle.toml; empty: none
  JsonOption json;
};

llvm::Error try_once(BpfSession& session, const Options& options) {
  auto analyses = session.analysis();
  if (!analyses) return analyses.takeError();
  for (const AnalysisReport& analysis : *analyses)
    print(analysis, options.json.text());
  auto versions = session.try_versions();
  if (!versions) return versions.takeError();
  for (const VersionReport& version : *versions)
    print(version, options.json.text());
  return options.json.write([&](llvm::json::OStream& json) {
    auto write_program = [&](size_t at) {
      write((*analyses)[at], json);
      json.attributeObject("version", [&] { write((*versions)[at], json); });
    };
    write_program(0);
    json.attributeArray("chain", [&] {
      for (size_t at = 1; at != versions->size(); ++at)
        json.object([&] { write_program(at); });
    });
  });
}

// As JSON: one object per version, a line each, as they come.
llvm::Error run(const Options& options) {
  std::vector<std::string> restored;
  if (!options.dry_run) restored = restore_left_behind(options.bpf_file_system);
  auto session = BpfSession::open(options, restored);
  if (!session) return session.takeError();
  if (options.dry_run) return try_once(*session, options);
  if (options.json.wanted() && !options.json.takes_stdout())
    return diagnose("versions are written as they come, one JSON object per line, to standard output alone",
                    "give --json no file, or --dry-run", "--json");
  auto tell = [&](const VersionReport& version) {
    if (!options.watch) print(version, options.json.text());
    if (!options.json.wanted()) return;
    llvm::json::OStream json(llvm::outs());
    json.object([&] { write(version, json); });
    llvm::outs() << '\n';
    llvm::outs().flush();
  };
  auto look = [&](llvm::ArrayRef<LiveReport> live) -> llvm::Error {
    if (options.watch) {
      llvm::outs() << "\033[H\033[J"; // to the corner, and nothing below
      for (const LiveReport& program : live)
        print(program, llvm::outs());
    }
    if (options.prometheus.empty()) return llvm::Error::success();
    return write_file(options.prometheus, [&](llvm::raw_ostream& out) { print_prometheus(live, out); });
  };
  return session->run(tell, look);
}

// As people write it: 1s, 10%.
CLI::Validator without_unit(const std::string& unit) {
  return CLI::Validator(
      [unit](std::string& text) {
        llvm::StringRef number = text;
        if (number.consume_back(unit)) text = number.str();
        return std::string();
      },
      "");
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
  auto* period = command->add_option("--period", options->period_seconds,
                                     "seconds between looks at the tables and the traffic");
  period->check(CLI::Range(0.01, 3600.0))->transform(without_unit("s"));
  command->add_flag("--once", options->once, "make one version, and stay with it until interrupted")
      ->excludes(period);
  command
      ->add_option("--cpu", options->cpu_percent,
                   "the most time for making versions, in percent of one processor")
      ->check(CLI::Range(0.1, 100.0))
      ->transform(without_unit("%"));
  command
      ->add_option("--sampling", options->sampling_percent,
                   "the most packets, in percent, whose lookups in large tables are counted (0: none)")
      ->check(CLI::Range(0.0, 100.0))
      ->transform(without_unit("%"));
  command->add_option("--exclude-map", options->excluded, "count no lookups in these maps, by name")
      ->delimiter(',');
  command
      ->add_option("--most-ways", options->most_ways,
                   "the most ways through hot keys in one version, each of which the kernel's verifier may "
                   "follow; its square for small tables")
      ->check(CLI::Range(uint64_t(1), uint64_t(1) << 20));
  command->add_flag("--dry-run", options->dry_run, "print what would be done; attach nothing");
  command->add_option("--disable", options->disabled, "leave out passes, by name")
      ->delimiter(',')
      ->check(CLI::IsMember(specialize_pass_names()));
  command->add_option("--bpffs", options->bpf_file_system,
                      "the BPF file system where the watch is pinned while versions run");
  command
      ->add_option_function<std::string>(
          "--costs", [options](const std::string& how) { options->measure_costs = how == "measured"; },
          "what lookups cost, by which ways are chosen: measured (default), or built-in figures")
      ->check(CLI::IsMember({"measured", "built-in"}));
  auto* watch = command->add_flag("--watch", options->watch, "show what it is at, look by look");
  watch->excludes("--dry-run");
  command
      ->add_option("--prometheus", options->prometheus,
                   "the file that says at every look what it is at, as Prometheus's node exporter takes it")
      ->excludes("--dry-run");
  command->add_option("--config", options->config,
                      "heddle.toml, whose [specialize] has options for those that are not given here");
  options->json.add_to(*command);
  watch->excludes("--json");
  command->callback([&chosen, options, command] {
    if (!options->config.empty())
      take_options_from(options->config, "specialize",
                        {"period", "sampling", "cpu", "most-ways", "exclude-map", "disable", "costs", "bpffs",
                         "prometheus"},
                        *command);
    if (options->once) options->period_seconds = 0;
    chosen = [options] { return run(*options); };
  });
}

} // namespace heddle
