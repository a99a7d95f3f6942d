// The order of measurements. Each takes medians of short repetitions, so that an interrupt spoils one of them and not the figure; all of
// that three times over, as what others do to memory and to the last level of cache changes within seconds. What no repetition helps
// against is other programs on the same core all the time, whose data and code are in its caches: how much of the time they had it is known,
// and a chain of additions, which always takes the same, says how steady the core itself is.
#include "host/calibrate.h"

#include "host/clock.h"
#include "host/measure.h"
#include "host/rounds.h"
#include "support/progress.h"

#include <algorithm>
#include <ctime>
#include <sched.h>

namespace heddle {

namespace {

// This thread on one CPU while the object lives.
class Pinned {
public:
  explicit Pinned(unsigned cpu) {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    sched_setaffinity(0, sizeof only, &only);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { sched_setaffinity(0, sizeof before_, &before_); }

private:
  cpu_set_t before_;
};

struct Step {
  const char* what;
  double seconds; // that it took on the machine of docs/model.md
  llvm::Error (*measure)(Host& host, const Effort& effort);
};

constexpr Step steps[] = {
    {"code against its footprint", 0.8, measure_front_end},
    {"instructions per cycle", 0.1, measure_instructions},
    {"data: latency, and misses at once", 1.2, measure_memory},
    {"window of instructions", 0.4, measure_window},
    {"switches between packets", 0.1, measure_switches},
    {"receive and transmit calls", 0.2, measure_calls},
};

// How long this program has run, and has had to wait for a CPU meanwhile. It never waits for anything else.
class CpuTime {
public:
  CpuTime() : wall_(read(CLOCK_MONOTONIC)), own_(read(CLOCK_THREAD_CPUTIME_ID)) {}
  double seconds() const { return read(CLOCK_MONOTONIC) - wall_; }
  double taken_percent() const {
    const double own = read(CLOCK_THREAD_CPUTIME_ID) - own_;
    return std::max(0.0, 100 * (1 - own / seconds()));
  }

private:
  static double read(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  }
  double wall_, own_;
};

// The noise before all else, or after: of the core by itself, and what others made of it.
llvm::Expected<Summary> quiet(const CalibrateOptions& options, unsigned cpu, const CpuTime& since) {
  const Summary noise = measure_noise(options.quick ? 50 : 500);
  if (llvm::Error error = check_noise(noise, options.most_noise_percent)) return std::move(error);
  if (llvm::Error error = check_share(cpu, since.taken_percent(), options.most_noise_percent))
    return std::move(error);
  return noise;
}

} // namespace

llvm::Expected<Host> calibrate(const CalibrateOptions& options) {
  Host host;
  host.machine = describe_machine();
  host.name = host.machine.cpu;
  host.origin = options.quick ? "measured by heddle calibrate --quick: for a look, not for plans"
                              : "measured by heddle calibrate";
  host.cpu = last_cpu();
  const Pinned pinned(host.cpu);
  const CpuTime begin;
  const Effort effort = options.quick ? Effort{3, 256, 16 * 1024} : Effort{};
  const unsigned rounds = options.quick ? 1 : 3;

  double planned = 0, spent = 0;
  for (const Step& step : steps)
    planned += rounds * step.seconds;
  auto tell = [&](const char* what) { progress_at({what, spent, planned}); };

  tell("noise");
  auto before = quiet(options, host.cpu, begin);
  if (!before) return before.takeError();
  const Frequencies frequencies = measure_frequencies();
  host.core_ghz = measured(frequencies.core);
  host.clock_ghz = measured(frequencies.clock);
  std::vector<Host> measured_hosts(rounds, host);
  for (Host& round : measured_hosts)
    for (const Step& step : steps) {
      tell(step.what);
      if (llvm::Error error = step.measure(round, effort)) return std::move(error);
      spent += step.seconds;
    }
  tell("noise");
  auto after = quiet(options, host.cpu, begin);
  if (!after) return after.takeError();
  host = median_of_rounds(measured_hosts);
  host.noise_percent = {std::max(before->spread_percent, after->spread_percent), 0, "measured"};
  host.taken_percent = {begin.taken_percent(), 0, "measured"};
  return host;
}

} // namespace heddle
