// From one version to the next.
#include "specialize/bpf/keeper.h"
#include "specialize/bpf/state.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"

#include <bpf/bpf.h>
#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

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

// What something takes, and what of that it had a processor.
class Stopwatch {
public:
  Seconds wall() const { return Clock::now() - begin_; }
  Seconds processor() const { return processor_now() - processor_begin_; }

private:
  static Seconds processor_now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  }

  Clock::time_point begin_ = Clock::now();
  Seconds processor_begin_ = processor_now();
};

void put_times(VersionReport& report, const Stopwatch& watch) {
  report.milliseconds = 1000 * watch.wall().count();
  report.processor_milliseconds = 1000 * watch.processor().count();
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

// What is known of the traffic.
void show(LiveReport& live, const Sampler* samples) {
  if (!samples) return;
  live.sites = live_sites(*samples);
  bool sampling = samples->sampling();
  live.packets_per_second = sampling ? std::optional(samples->packets_per_second()) : std::nullopt;
  live.sampled_percent = sampling ? std::optional(samples->percent()) : std::nullopt;
}

} // namespace

std::vector<uint32_t> BpfSession::State::candidates() const {
  std::vector<uint32_t> ids;
  for (const MapView& view : views)
    if (view.running && view.reason.empty()) ids.push_back(view.running->id);
  return ids;
}

Error BpfSession::State::read_tables(Snapshot& taken, const std::vector<uint32_t>& own) const {
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

// For tables that are too large to become code.
Error BpfSession::State::make_indexes(Snapshot& taken) const {
  for (const auto& named : taken.tables) {
    const Table& table = named.second;
    if (!table.complete || is_small(table) || table.kind == TableKind::Array) continue;
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

Error BpfSession::State::read_hot_keys(Snapshot& taken, const Sampler& sampler) const {
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

Expected<std::optional<Snapshot>> BpfSession::State::snapshot(const Watch& watch,
                                                              const std::vector<uint32_t>& own,
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

Expected<std::optional<Sampler>> BpfSession::State::start_sampling() const {
  if (options.sampling_percent == 0 || options.period_seconds == 0) return std::nullopt;
  auto sampler = Sampler::start(options.sampling_percent);
  if (!sampler) return sampler.takeError();
  return std::optional<Sampler>(std::move(*sampler));
}

Expected<BpfSession::State::Loaded> BpfSession::State::load(const Snapshot& snapshot, const Watch& watch,
                                                            Sampler* sampler) {
  auto attempt = [&](const llvm::StringSet<>& without) -> Expected<Loaded> {
    auto version = make_version({prepared, object, function, snapshot, without, sampler, excluded});
    if (!version) return version.takeError();
    if (version->object.empty()) return Loaded{std::move(*version), {}};
    auto fd = load_version({version->object, object.path, function, watch.guard()}, running);
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
                  "compile it with -O2, as heddle cc's bitcode is compiled again", object.path);
}

VersionReport BpfSession::State::report_on(const Loaded& loaded) const {
  VersionReport report;
  report.original = loaded.version.object.empty();
  report.instructions = (report.original ? running : loaded.program).code.size() / 8;
  report.instructions_before = running.code.size() / 8;
  report.checks = report.original ? 0 : loaded.version.checks + 1;
  report.performed = loaded.version.performed;
  report.remarks = loaded.version.remarks;
  return report;
}

Expected<VersionReport> BpfSession::try_version() {
  State& s = *state_;
  auto watch = Watch::start(s.candidates());
  if (!watch) return watch.takeError();
  auto sampler = s.start_sampling();
  if (!sampler) return sampler.takeError();
  Sampler* samples = *sampler ? &**sampler : nullptr;
  Stopwatch stopwatch;
  auto taken = s.snapshot(*watch, {s.running.id}, samples, std::nullopt);
  if (!taken) return taken.takeError();
  if (!*taken)
    return diagnose("the tables are changing just now", "try again when the control plane is quiet",
                    "program " + std::to_string(s.running.id));
  auto loaded = s.load(**taken, *watch, samples);
  if (!loaded) return loaded.takeError();
  VersionReport report = s.report_on(*loaded);
  put_times(report, stopwatch);
  return report;
}

Error BpfSession::run(llvm::function_ref<void(const VersionReport&)> tell,
                      llvm::function_ref<Error(const LiveReport&)> look) {
  State& s = *state_;
  auto attachment = Attachment::find(s.running);
  if (!attachment) return attachment.takeError();
  auto watch = Watch::start(s.candidates());
  if (!watch) return watch.takeError();
  auto keeper = Keeper::start(*attachment, s.running);
  if (!keeper) return keeper.takeError();
  auto sampler = s.start_sampling();
  if (!sampler) return sampler.takeError();
  Sampler* samples = *sampler ? &**sampler : nullptr;

  std::optional<Snapshot> made_for;
  uint64_t made_for_heat = 0;
  Descriptor now; // the epoch of the version that runs
  // All versions: others may hold one that is no longer in place. The kernel gives ids out in turn, so none comes again soon.
  std::vector<uint32_t> own{s.running.id};
  Budget budget(s.options.cpu_percent);
  LiveReport live;
  live.attached_to = attachment->where();
  auto spend = [&](Seconds time) {
    budget.spend(time);
    live.making_seconds += time.count();
  };
  const Seconds soon(0.05), period(s.options.period_seconds > 0 ? s.options.period_seconds : soon.count());
  for (Seconds pause = soon;; std::this_thread::sleep_for(pause)) {
    pause = std::min(soon, period);
    if (watch->missed() != 0)
      return diagnose("a change of a table may have gone unnoticed: this kernel interrupts the watch",
                      "do not specialize on this kernel, and report it", attachment->where());
    if (!attachment->holds(keeper->now()))
      return diagnose("has another program now, or none: somebody else has replaced or removed it",
                      "start `heddle specialize` again on what runs there now", attachment->where());
    if (samples)
      if (Error error = samples->look(made_for && made_for_heat == samples->changes())) return error;
    uint64_t heat = samples ? samples->changes() : 0;
    live.epoch = watch->epoch();
    live.holds = made_for && made_for->epoch == live.epoch;
    show(live, samples);
    if (made_for)
      if (Error error = look(live)) return error;
    bool holds = live.holds && made_for_heat == heat;
    bool done = made_for && (s.options.period_seconds == 0 || holds);
    if (done || !budget.is_left()) {
      pause = period;
      continue;
    }
    Stopwatch stopwatch;
    auto taken = s.snapshot(*watch, own, samples, made_for);
    if (!taken) return taken.takeError();
    if (!*taken) continue; // in the middle of a change: again soon
    // What has happened has changed nothing, as the loading of others' programs does: the version holds again.
    if (made_for && made_for_heat == heat && same_tables(*made_for, **taken)) {
      made_for = std::move(*taken);
      if (Error error = set_epoch(now, made_for->epoch)) return error;
      spend(stopwatch.processor());
      ++live.confirmed;
      continue;
    }
    auto loaded = s.load(**taken, *watch, samples);
    if (!loaded) return loaded.takeError();
    spend(stopwatch.processor());
    if (watch->epoch() != (*taken)->epoch) { // something has happened while it was made
      auto again = s.snapshot(*watch, own, samples, *taken);
      if (!again) return again.takeError();
      if (!*again || !same_tables(**taken, **again)) continue; // it would only ever fall back
      taken = std::move(again);
      if (Error error = set_epoch(loaded->version.made_for, (*taken)->epoch)) return error;
    }
    VersionReport report = s.report_on(*loaded);
    if (Error error =
            report.original ? keeper->replace_by_original() : keeper->replace(std::move(loaded->program)))
      return error;
    if (!report.original) own.push_back(keeper->now());
    made_for = std::move(*taken);
    made_for_heat = heat;
    now = std::move(loaded->version.made_for);
    put_times(report, stopwatch);
    report.attached_to = attachment->where();
    report.program = keeper->now();
    report.epoch = made_for->epoch;
    if (report.program != live.program) tell(report); // nothing new: the original again
    live.versions += !report.original;
    live.original = report.original;
    live.program = report.program;
    live.passes.clear();
    for (const Performed& performed : report.performed)
      live.passes.push_back(performed.pass + ": " + performed.table);
    pause = period;
  }
}

} // namespace heddle
