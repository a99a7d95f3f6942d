// From one version to the next.
#include "specialize/bpf/keeper.h"
#include "specialize/bpf/own_map.h"
#include "specialize/bpf/state.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <bpf/bpf.h>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

using Clock = std::chrono::steady_clock;

// Time for making versions: what is not used is saved up, so that one after a long quiet is made at once.
class Budget {
public:
  explicit Budget(double percent) : share_(percent / 100) {}

  bool is_left() {
    auto now = Clock::now();
    left_ = std::min(most, left_ + share_ * Seconds(now - std::exchange(last_, now)));
    return left_.count() > 0;
  }

  void spend(Seconds time) { left_ -= time; }

private:
  static constexpr Seconds most{1};

  double share_;
  Seconds left_ = most;
  Clock::time_point last_ = Clock::now();
};

void put_times(VersionReport& report, const Stopwatch& watch) {
  auto milliseconds = [](Seconds time) { return 1000 * time.count(); };
  report.milliseconds = milliseconds(watch.total().wall);
  report.processor_milliseconds = milliseconds(watch.total().processor);
  for (const auto& [name, times] : watch.phases())
    report.phases.push_back({name, milliseconds(times.wall), milliseconds(times.processor)});
}

// The one value of a map that stands for global variables.
Expected<std::string> variables_in(const RunningMap& map) {
  std::string bytes(map.value_bytes, '\0');
  uint32_t zero = 0;
  if (bpf_map_lookup_elem(map.fd.get(), &zero, bytes.data()) == 0) return bytes;
  return bpf_error("cannot be read", errno, "map " + map.name);
}

// The epoch that the version of this cell holds in: its tables are those that it was made for.
Error set_epoch(const Descriptor& made_for, uint64_t epoch) {
  uint32_t zero = 0;
  if (!made_for) return Error::success(); // a version without specialized sites
  if (bpf_map_update_elem(made_for.get(), &zero, &epoch, BPF_ANY) == 0) return Error::success();
  return bpf_error("a version's epoch cannot be set", errno, "heddle_made_for");
}

} // namespace

Error ChainProgram::read_tables(Snapshot& taken, const std::vector<uint32_t>& own) const {
  std::vector<MapView> now = views;
  leave_shared_maps(now, own);
  for (const MapView& view : now) {
    if (!view.running || !view.reason.empty()) continue;
    auto table = read_table(view);
    if (!table) return table.takeError();
    taken.tables[view.uses.name] = std::move(*table);
  }
  for (const RunningMap& map : running.maps) {
    size_t section = StringRef(map.name).find(".rodata");
    if (section == StringRef::npos || !map.frozen) continue;
    auto bytes = variables_in(map);
    if (!bytes) return bytes.takeError();
    taken.frozen[map.name.substr(section)] = std::move(*bytes);
  }
  return Error::success();
}

// For tables that are too large to become code, and for those of which code would have too much to compare.
Error ChainProgram::make_indexes(Snapshot& taken) const {
  for (const auto& named : taken.tables) {
    const Table& table = named.second;
    constexpr size_t few = 2;
    if (!table.complete || table.entries.size() <= few || table.kind == TableKind::Array ||
        !table.written.empty())
      continue;
    Index index;
    NoIndex why{};
    if (!make_index(table, index, why)) {
      taken.no_index[table.name] = why;
      continue;
    }
    auto maps = make_index_maps(std::move(index), table);
    if (!maps) return maps.takeError();
    taken.indexes[table.name] = std::make_shared<const IndexMaps>(std::move(*maps));
  }
  return Error::success();
}

Error ChainProgram::read_hot_keys(Snapshot& taken, const Sampler& sampler) const {
  taken.hot.clear();
  for (const auto& [name, site] : sampler.sites()) {
    if (site.heat.keys().empty()) continue;
    const MapView& view = *llvm::find_if(views, [&](const MapView& v) { return v.uses.name == site.map; });
    HotLookups& hot = taken.hot[name];
    hot.others = site.heat.others();
    for (const HotKey& key : site.heat.keys()) {
      auto value = look_up(view, key.key);
      if (!value) return value.takeError();
      hot.known.push_back({key.key, std::move(*value), key.count});
    }
  }
  return Error::success();
}

Expected<std::optional<Snapshot>> ChainProgram::snapshot(const Watch& watch, const std::vector<uint32_t>& own,
                                                         const Sampler* sampler,
                                                         const std::optional<Snapshot>& last) const {
  std::optional<uint64_t> epoch = watch.settled_epoch();
  if (!epoch) return std::nullopt;
  Snapshot taken;
  if (last && last->epoch == *epoch) {
    taken = *last;
  } else {
    taken.epoch = *epoch;
    if (Error error = read_tables(taken, own)) return std::move(error);
    if (last && last->tables == taken.tables) {
      taken.indexes = last->indexes;
      taken.no_index = last->no_index;
    } else if (Error error = make_indexes(taken)) {
      return std::move(error);
    }
  }
  if (sampler)
    if (Error error = read_hot_keys(taken, *sampler)) return std::move(error);
  if (watch.epoch() != taken.epoch) return std::nullopt;
  return taken;
}

Expected<std::optional<Sampler>> ChainProgram::start_sampling() const {
  if (source.options.sampling_percent == 0 || source.options.period_seconds == 0) return std::nullopt;
  auto sampler = Sampler::start(source.options.sampling_percent);
  if (!sampler) return sampler.takeError();
  return std::optional<Sampler>(std::move(*sampler));
}

Expected<ChainProgram::Loaded> ChainProgram::load(const Snapshot& snapshot, const Watch& watch,
                                                  Sampler* sampler, Stopwatch& stopwatch) {
  auto end = llvm::make_scope_exit([&] { stopwatch.end(); });
  auto attempt = [&](const llvm::StringSet<>& without) -> Expected<Loaded> {
    auto version = make_version({prepared, last_code, source.object, function, snapshot, without, sampler,
                                 source.excluded, source.costs, source.options.most_ways, stopwatch, missed});
    if (!version) return version.takeError();
    if (version->object.empty()) return Loaded{std::move(*version), {}};
    stopwatch.begin("load");
    auto fd = load_version({version->object, source.object.path, function, watch.guard()}, running);
    if (!fd) return fd.takeError();
    auto program = open_running_program(std::move(*fd));
    if (!program) return program.takeError();
    return Loaded{std::move(*version), std::move(*program)};
  };
  auto loaded = attempt(disabled);
  if (loaded) return loaded;
  std::string log;
  auto is_refusal = [&](Error error) {
    return llvm::handleErrors(std::move(error), [&](const Rejected& refusal) { log = refusal.log_text(); });
  };
  if (Error error = is_refusal(loaded.takeError())) return std::move(error);
  // First each pass alone, then all from the last to the first.
  llvm::StringSet<> fewer = disabled;
  for (bool alone : {true, false})
    for (const char* pass : llvm::reverse(specialize_passes)) {
      if (disabled.contains(pass)) continue;
      llvm::StringSet<> without = alone ? disabled : fewer;
      without.insert(pass);
      fewer.insert(pass);
      auto again = attempt(without);
      if (again) {
        again->version.remarks.push_back({"refused", pass, "the program is refused with this pass",
                                          "left out from now on; report it with these words: " + log});
        disabled = without;
        return again;
      }
      if (Error error = is_refusal(again.takeError())) return std::move(error);
    }
  return diagnose("the verifier refuses the program as Heddle compiles it, without any pass: " + log,
                  "compile it with -O2, as heddle cc's bitcode is compiled again", source.object.path);
}

VersionReport ChainProgram::report_on(const Loaded& loaded) const {
  VersionReport report;
  report.original = loaded.version.object.empty();
  report.instructions = (report.original ? running : loaded.program).code.size() / 8;
  report.instructions_before = running.code.size() / 8;
  report.verified = (report.original ? running : loaded.program).verified;
  report.verified_before = running.verified;
  report.checks = report.original ? 0 : loaded.version.checks + 1;
  report.performed = loaded.version.performed;
  report.remarks = loaded.version.remarks;
  llvm::append_range(report.remarks, remarks);
  return report;
}

Expected<std::vector<VersionReport>> BpfSession::try_versions() {
  State& s = *state_;
  auto watch = Watch::start(s.candidates());
  if (!watch) return watch.takeError();
  std::vector<VersionReport> reports;
  for (auto& program : s.programs) {
    auto sampler = program->start_sampling();
    if (!sampler) return sampler.takeError();
    Sampler* samples = *sampler ? &**sampler : nullptr;
    Stopwatch stopwatch;
    stopwatch.begin("tables");
    auto taken = program->snapshot(*watch, s.ids(), samples, std::nullopt);
    if (!taken) return taken.takeError();
    if (!*taken)
      return diagnose("the tables are changing just now", "try again when the control plane is quiet",
                      "program " + std::to_string(program->running.id));
    auto loaded = program->load(**taken, *watch, samples, stopwatch);
    if (!loaded) return loaded.takeError();
    put_times(reports.emplace_back(program->report_on(*loaded)), stopwatch);
  }
  return reports;
}

namespace {

// What the programs of a chain have in common while they are specialized.
struct ChainRun {
  const Watch& watch;
  const Pins* pins; // null: there is no place for them
  llvm::function_ref<void(const VersionReport&)> tell;
  Budget budget;
  // All originals and all versions: others may hold one that is no longer in place. The kernel gives ids out in turn, so none comes
  // again soon.
  std::vector<uint32_t> own;
};

constexpr Seconds soon(0.05); // until tables that are changing are looked at again

// One program of the chain while it is specialized, from one version to the next.
class ProgramRun {
public:
  static Expected<std::unique_ptr<ProgramRun>> start(ChainProgram& program, ChainRun& chain) {
    auto attachment = program.element ? Attachment::element(program.element->map, program.element->key)
                                      : Attachment::find(program.running);
    if (!attachment) return attachment.takeError();
    auto run = std::make_unique<ProgramRun>(program, chain, std::move(*attachment));
    auto keeper = Keeper::start(run->attachment_, program.running, chain.pins);
    if (!keeper) return keeper.takeError();
    run->keeper_.emplace(std::move(*keeper));
    auto sampler = program.start_sampling();
    if (!sampler) return sampler.takeError();
    run->sampler_ = std::move(*sampler);
    return run;
  }

  ProgramRun(ChainProgram& program, ChainRun& chain, Attachment attachment)
      : program_(program), chain_(chain), attachment_(std::move(attachment)) {
    live_.attached_to = attachment_.where();
  }

  const LiveReport& live() const { return live_; }
  bool has_version() const { return made_for_.has_value(); }
  bool in_place() const { return attachment_.holds(keeper_->now()); }
  bool is_left() const { return live_.left; }

  Error not_in_place() const {
    return diagnose("has another program now, or none: somebody else has replaced or removed it",
                    "start `heddle specialize` again on what runs there now", attachment_.where());
  }

  // Goes on without this program, whose place in the chain has somebody else's.
  void leave() {
    keeper_.reset();
    sampler_.reset();
    live_.left = true;
    live_.holds = false;
    live_.sites.clear();
    live_.passes.clear();
    live_.packets_per_second = live_.sampled_percent = std::nullopt;
    VersionReport report;
    report.left = true;
    report.attached_to = attachment_.where();
    report.remarks.push_back(
        remark_of("replaced", "the others of the chain are specialized as before", not_in_place()));
    chain_.tell(report);
  }

  // What there is to be known of the traffic.
  Error look() {
    if (sampler_) {
      if (Error error = sampler_->look(made_for_ && made_for_heat_ == sampler_->changes())) return error;
      live_.sites = live_sites(*sampler_);
      bool sampling = sampler_->sampling();
      live_.packets_per_second = sampling ? std::optional(sampler_->packets_per_second()) : std::nullopt;
      live_.sampled_percent = sampling ? std::optional(sampler_->percent()) : std::nullopt;
    }
    auto missed = read_counter(program_.missed);
    if (!missed) return missed.takeError();
    live_.missed = *missed;
    live_.epoch = chain_.watch.epoch();
    live_.holds = made_for_ && made_for_->epoch == live_.epoch;
    return Error::success();
  }

  // Makes a version where one is wanted. Returns in how long that is to be asked again.
  Expected<Seconds> advance() {
    double period_seconds = program_.source.options.period_seconds;
    const Seconds period(period_seconds > 0 ? period_seconds : soon.count()), again = std::min(soon, period);
    uint64_t heat = sampler_ ? sampler_->changes() : 0;
    bool holds = live_.holds && made_for_heat_ == heat;
    bool done = made_for_ && (period_seconds == 0 || holds);
    if (done || !chain_.budget.is_left()) return period;
    Stopwatch stopwatch;
    stopwatch.begin("tables");
    auto taken = snapshot(made_for_);
    if (!taken) return taken.takeError();
    if (!*taken) return again; // in the middle of a change
    // What has happened has changed nothing, as the loading of others' programs does: the version holds again.
    if (made_for_ && made_for_heat_ == heat && same_tables(*made_for_, **taken)) {
      made_for_ = std::move(*taken);
      if (Error error = set_epoch(epoch_, made_for_->epoch)) return std::move(error);
      spend(stopwatch.total().processor);
      ++live_.confirmed;
      return again;
    }
    auto loaded = program_.load(**taken, chain_.watch, samples(), stopwatch);
    if (!loaded) return loaded.takeError();
    spend(stopwatch.total().processor);
    if (chain_.watch.epoch() != (*taken)->epoch) { // something has happened while it was made
      auto now = snapshot(*taken);
      if (!now) return now.takeError();
      if (!*now || !same_tables(**taken, **now)) return again; // it would only ever fall back
      taken = std::move(now);
      if (Error error = set_epoch(loaded->version.made_for, (*taken)->epoch)) return std::move(error);
    }
    made_for_heat_ = heat;
    stopwatch.begin("swap");
    if (Error error = put_in_place(std::move(*loaded), std::move(**taken), stopwatch))
      return std::move(error);
    return period;
  }

private:
  Sampler* samples() { return sampler_ ? &*sampler_ : nullptr; }

  Expected<std::optional<Snapshot>> snapshot(const std::optional<Snapshot>& last) {
    return program_.snapshot(chain_.watch, chain_.own, samples(), last);
  }

  void spend(Seconds time) {
    chain_.budget.spend(time);
    live_.making_seconds += time.count();
  }

  Error put_in_place(ChainProgram::Loaded loaded, Snapshot taken, Stopwatch& stopwatch) {
    VersionReport report = program_.report_on(loaded);
    if (Error error =
            report.original ? keeper_->replace_by_original() : keeper_->replace(std::move(loaded.program)))
      return error;
    stopwatch.end();
    if (!report.original) chain_.own.push_back(keeper_->now());
    made_for_ = std::move(taken);
    epoch_ = std::move(loaded.version.made_for);
    put_times(report, stopwatch);
    report.attached_to = attachment_.where();
    report.program = keeper_->now();
    report.epoch = made_for_->epoch;
    if (report.program != live_.program) chain_.tell(report); // nothing new: the original again
    live_.versions += !report.original;
    live_.original = report.original;
    live_.program = report.program;
    live_.passes.clear();
    for (const Performed& performed : report.performed)
      live_.passes.push_back(performed.pass + ": " + performed.table);
    return Error::success();
  }

  ChainProgram& program_;
  ChainRun& chain_;
  Attachment attachment_;
  std::optional<Sampler> sampler_;
  std::optional<Keeper> keeper_;
  std::optional<Snapshot> made_for_;
  uint64_t made_for_heat_ = 0;
  Descriptor epoch_; // of the version that runs
  LiveReport live_;
};

} // namespace

Error BpfSession::run(llvm::function_ref<void(const VersionReport&)> tell,
                      llvm::function_ref<Error(llvm::ArrayRef<LiveReport>)> look) {
  State& s = *state_;
  const SpecializeOptions& options = s.source.options;
  auto watch = Watch::start(s.candidates());
  if (!watch) return watch.takeError();
  std::optional<Pins> pins;
  if (auto made = Pins::make(options.bpf_file_system, s.programs.front()->running.id, *watch))
    pins.emplace(std::move(*made));
  else
    s.programs.front()->remarks.push_back(
        remark_of("not-pinned", "killed together with its keeper, Heddle would leave a version unwatched",
                  made.takeError()));
  ChainRun chain{*watch, pins ? &*pins : nullptr, tell, Budget(options.cpu_percent), s.ids()};
  std::vector<std::unique_ptr<ProgramRun>> runs;
  // From the last to the first: a keeper holds what those before it wait for.
  auto end = llvm::make_scope_exit([&] {
    while (!runs.empty())
      runs.pop_back();
  });
  for (auto& program : s.programs) {
    auto run = ProgramRun::start(*program, chain);
    if (!run) return run.takeError();
    runs.push_back(std::move(*run));
  }
  for (Seconds pause;; std::this_thread::sleep_for(pause)) {
    if (watch->missed() != 0)
      return diagnose("a change of a table may have gone unnoticed: this kernel interrupts the watch",
                      "do not specialize on this kernel, and report it", runs.front()->live().attached_to);
    std::vector<LiveReport> live;
    for (auto& run : runs) {
      if (!run->is_left() && !run->in_place()) {
        if (run == runs.front()) return run->not_in_place();
        run->leave();
      }
      if (!run->is_left())
        if (Error error = run->look()) return error;
      if (run->has_version()) live.push_back(run->live());
    }
    if (!live.empty())
      if (Error error = look(live)) return error;
    pause = Seconds(std::numeric_limits<double>::max());
    for (auto& run : runs) {
      if (run->is_left()) continue;
      auto wanted = run->advance();
      if (wanted) {
        pause = std::min(pause, *wanted);
      } else if (run == runs.front() || run->in_place()) {
        return wanted.takeError();
      } else { // replaced just now: the next look leaves it
        llvm::consumeError(wanted.takeError());
        pause = soon;
      }
    }
  }
}

} // namespace heddle
