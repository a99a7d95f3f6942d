#include "plan/host_model.h"

#include <algorithm>
#include <cmath>

namespace heddle {

namespace {

void take(double& constant, const Figure& figure, double scale = 1) {
  if (figure.known()) constant = figure.value * scale;
}

// Waits for memory are counted without page walks, which have a price of their own; so large pages first. What was measured of the caches is
// small enough for its translations to be at hand, and most programs' tables lie on small pages, which share the sets of a cache less evenly.
const DataPoint* of_level(const Host& host, llvm::StringRef level) {
  const char* const first = level == "memory" ? "2 MiB" : "4 KiB";
  const char* const second = level == "memory" ? "4 KiB" : "2 MiB";
  const DataPoint* point = host.find(level, first);
  return point && point->latency_cycles.known() ? point : host.find(level, second);
}

} // namespace

MemoryModel memory_model(const Host& host) {
  MemoryModel model;
  const std::pair<const char*, double*> waits[] = {
      {"level2", &model.level2}, {"level3", &model.level3}, {"memory", &model.memory}};
  for (auto [level, constant] : waits)
    if (const DataPoint* point = of_level(host, level)) take(*constant, point->latency_cycles);
  if (const DataPoint* memory = of_level(host, "memory")) {
    take(model.misses_at_once, memory->loads_at_once);
    take(model.prefetches_at_once, memory->level2_prefetches_at_once);
  }
  // Noise may measure less than one, which is no number of misses.
  model.misses_at_once = std::max(1.0, model.misses_at_once);
  model.prefetches_at_once = std::max(1.0, model.prefetches_at_once);
  take(model.walk, host.walk_cycles);
  take(model.window, host.window_instructions);
  if (host.core_ghz.known() && host.clock_ghz.known() && host.clock_ghz.value > 0)
    model.cycles_per_tick = host.core_ghz.value / host.clock_ghz.value;
  take(model.per_cycle, host.instructions_per_cycle);
  take(model.step_instructions, host.step_cycles, model.per_cycle);
  // Not host.pass_cycles: there all packets wait at one place, so that no pass begins or ends unforeseen. Those of real bodies do.
  return model;
}

void price_for(const Host& host, PlanOptions& options) {
  options.memory = memory_model(host);
  take(options.crossing_cycles, host.crossing_cycles);
  if (host.front_end.points.empty()) return;
  options.refill_cycles = [host](double lines) {
    return refill_cycles_per_line(host, &CodePoint::conditional, lines);
  };
}

double builtin_refill_cycles(double lines, double icache_lines) {
  const std::pair<double, double> points[] = {
      {icache_lines / 2, 0}, {icache_lines, 1.3}, {2 * icache_lines, 1.6}, {4096, 1.6},   {8192, 7.9},
      {16384, 21.8},         {32768, 25.7},       {65536, 28.2},           {131072, 41.1}};
  const std::pair<double, double>* below = points;
  if (lines <= below->first) return 0;
  for (const auto& point : points) {
    if (lines < point.first)
      return std::lerp(below->second, point.second,
                       std::log(lines / below->first) / std::log(point.first / below->first));
    below = &point;
  }
  return below->second;
}

} // namespace heddle
