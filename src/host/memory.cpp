// What a load waits, and how many wait together.
//
// Latency: one cycle of pointers through all lines of a working set, in random order, so that no prefetcher of the processor helps and
// each load needs the one before. How many at once: independent loads of random lines; the latency divided by the time that each
// takes then. Likewise lines that are prefetched some way ahead and then loaded, into the first or the second level, with the best of a
// few distances: prefetches may wait in other places than loads do, and then more of them fit (docs/hide.md).
// Half of a cache is taken for its working set, so that what else the machine runs leaves it there, mostly; of the third level, four times the
// second if that is less, as machines that share it have a part of what it says: where a load takes as long as half of them coming
// from memory, their part ends. On small pages and on large ones. What a load from memory takes longer on small pages is the walk of the
// page tables.
#include "host/arena.h"
#include "host/clock.h"
#include "host/measure.h"
#include "support/diagnostic.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unistd.h>

namespace heddle {

namespace {

enum class Touch { Load, PrefetchLevel1, PrefetchLevel2 };

// Random lines of an arena. A linear congruence's high bits come in no order that a prefetcher knows, and repeat only when
// all lines had their turn.
class RandomLines {
public:
  explicit RandomLines(const Arena& arena)
      : data_(arena.data()), shift_(64 - unsigned(llvm::countr_zero(arena.lines()))) {}
  const char* next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return data_ + (state_ >> shift_) * 64;
  }

private:
  const char* data_;
  unsigned shift_;
  uint64_t state_ = 1;
};

template <Touch how> void touch_lines(RandomLines& loads, RandomLines& prefetches, unsigned count) {
  uint64_t sum = 0;
  for (unsigned i = 0; i != count; ++i) {
    if constexpr (how == Touch::PrefetchLevel1) __builtin_prefetch(prefetches.next(), 0, 3);
    if constexpr (how == Touch::PrefetchLevel2) __builtin_prefetch(prefetches.next(), 0, 2);
    sum += *reinterpret_cast<const uint64_t*>(loads.next());
  }
  __asm__ volatile("" : : "r"(sum));
}

constexpr unsigned touched = 2048; // lines in a sample

// Cycles per line, with prefetches so many lines ahead.
template <Touch how> Summary measure_touch(const Arena& arena, unsigned ahead, unsigned rounds) {
  RandomLines loads(arena), prefetches(arena);
  for (unsigned i = 0; i != ahead; ++i)
    prefetches.next();
  touch_lines<how>(loads, prefetches, touched);
  return measure_cycles(rounds, touched, [&] { touch_lines<how>(loads, prefetches, touched); });
}

Figure at_once(const Summary& latency, const Summary& each) {
  return {latency.median / each.median, std::max(latency.spread_percent, each.spread_percent), "measured"};
}

template <Touch how> Figure best_at_once(const Arena& arena, const Summary& latency, unsigned rounds) {
  Summary best;
  for (unsigned ahead : {8, 16, 24, 32, 48, 64, 96})
    if (Summary each = measure_touch<how>(arena, ahead, rounds);
        best.median == 0 || each.median < best.median)
      best = each;
  return at_once(latency, best);
}

struct Level {
  const char* name;
  uint64_t kib;
};

std::vector<Level> levels_of(const Host& host, uint64_t most_kib) {
  std::vector<Level> levels;
  uint64_t largest = 0;
  for (unsigned level : {1, 2, 3}) {
    static constexpr const char* names[] = {"level1", "level2", "level3"};
    const uint64_t kib = host.cache_bytes(level, "Data") / 1024;
    uint64_t half = llvm::bit_floor(kib / 2);
    if (level == 3) half = std::min(half, llvm::bit_floor(4 * host.cache_bytes(2, "Data") / 1024));
    if (kib) levels.push_back({names[level - 1], std::min(most_kib, half)});
    largest = std::max(largest, kib);
  }
  const uint64_t free_kib = uint64_t(sysconf(_SC_AVPHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE)) / 1024;
  const uint64_t wanted = std::max<uint64_t>(8 * largest, 256 * 1024);
  levels.push_back({"memory", llvm::bit_floor(std::min({most_kib, wanted, free_kib / 3}))});
  return levels;
}

llvm::Expected<DataPoint> measure_point(const Level& level, bool large, const Effort& effort) {
  auto arena = Arena::make(level.kib, large);
  if (!arena) return arena.takeError();
  arena->link();
  DataPoint point{level.name, large ? "2 MiB" : "4 KiB", level.kib, {}, {}, {}, {}};
  const Summary latency = measure_latency(*arena, effort.rounds);
  point.latency_cycles = measured(latency);
  if (point.level == "level1") {
    point.loads_at_once = point.level1_prefetches_at_once = point.level2_prefetches_at_once =
        not_measured("there is nothing to wait for");
    return point;
  }
  point.loads_at_once = at_once(latency, measure_touch<Touch::Load>(*arena, 0, effort.rounds));
  point.level1_prefetches_at_once = best_at_once<Touch::PrefetchLevel1>(*arena, latency, effort.rounds);
  point.level2_prefetches_at_once = level.name == llvm::StringRef("level2")
                                        ? not_measured("the line is there")
                                        : best_at_once<Touch::PrefetchLevel2>(*arena, latency, effort.rounds);
  return point;
}

// Of a point that the system has no memory of that kind for.
DataPoint skipped(const Level& level, const char* pages, const std::string& why) {
  const Figure none = not_measured(why);
  return {level.name, pages, level.kib, none, none, none, none};
}

Figure walk_of(const Host& host) {
  const DataPoint *small = host.find("memory", "4 KiB"), *large = host.find("memory", "2 MiB");
  if (!large || !large->latency_cycles.known()) return not_measured("it needs large pages to compare with");
  const double walk = small->latency_cycles.value - large->latency_cycles.value;
  if (walk <= 0) return not_measured("a load on small pages took no longer than one on large pages");
  return {walk, std::max(small->latency_cycles.spread_percent, large->latency_cycles.spread_percent),
          "derived: latency of memory on small pages less that on large ones"};
}

// Twice as much data each time, from what the third level surely has to what it says it has.
// On small pages, as most programs' tables are.
llvm::Expected<Figure> measure_last_level(const Host& host, const Effort& effort) {
  const DataPoint *cache = host.find("level3", "4 KiB"), *memory = host.find("memory", "4 KiB");
  if (!cache || cache->latency_cycles.value >= memory->latency_cycles.value)
    return not_measured("its loads wait as long as those from memory");
  const double middle = (cache->latency_cycles.value + memory->latency_cycles.value) / 2;
  const uint64_t most_kib = std::min(effort.most_data_kib, host.cache_bytes(3, "Data") / 1024);
  double mib = double(cache->working_set_kib) / 1024, latency = cache->latency_cycles.value, spread = 0;
  for (uint64_t kib = 2 * cache->working_set_kib; kib <= most_kib; kib *= 2) {
    auto arena = Arena::make(kib, false);
    if (!arena) return arena.takeError();
    arena->link();
    const Summary here = measure_latency(*arena, effort.rounds);
    spread = std::max(spread, here.spread_percent);
    if (here.median >= middle) {
      const double share = (middle - latency) / (here.median - latency);
      return Figure{mib * std::exp2(share), spread, "measured"};
    }
    mib = double(kib) / 1024;
    latency = std::max(latency, here.median);
  }
  return Figure{mib, spread, "measured: no less than that"};
}

Figure measure_prefetch(unsigned rounds) {
  alignas(64) static char lines[16 * 64];
  constexpr unsigned repeats = 64;
  return measured(measure_cycles(4 * rounds, repeats * 16, [&] {
    for (unsigned i = 0; i != repeats; ++i)
      __asm__ volatile(
          ".set offset, 0\n\t.rept 16\n\tprefetcht0 offset(%0)\n\t.set offset, offset + 64\n\t.endr"
          :
          : "r"(lines));
  }));
}

} // namespace

Summary measure_latency(const Arena& arena, unsigned rounds) {
  constexpr unsigned hops = 1024;
  const char* at = arena.data();
  auto chase = [&](uint64_t count) {
    while (count-- != 0)
      at = *reinterpret_cast<const char* const*>(at);
    __asm__ volatile("" : "+r"(at));
  };
  chase(std::min<uint64_t>(arena.lines(), 1 << 19)); // fills the caches
  return measure_cycles(4 * rounds, hops, [&] { chase(hops); });
}

llvm::Error measure_memory(Host& host, const Effort& effort) {
  const std::vector<Level> levels = levels_of(host, effort.most_data_kib);
  if (levels.size() < 3)
    return diagnose("the sizes of the caches are not known", "mount /sys, which has them",
                    "/sys/devices/system/cpu/cpu0/cache");
  for (bool large : {false, true})
    for (const Level& level : levels) {
      auto point = measure_point(level, large, effort);
      if (point)
        host.data.push_back(std::move(*point));
      else if (large)
        host.data.push_back(skipped(level, "2 MiB", llvm::toString(point.takeError())));
      else
        return point.takeError();
    }
  auto last_level = measure_last_level(host, effort);
  if (!last_level) return last_level.takeError();
  host.last_level_mib = *last_level;
  host.walk_cycles = walk_of(host);
  host.prefetch_cycles = measure_prefetch(effort.rounds);
  return llvm::Error::success();
}

} // namespace heddle
