#include "host/host.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace heddle {

const DataPoint* Host::find(llvm::StringRef level, llvm::StringRef pages) const {
  auto found = llvm::find_if(
      data, [&](const DataPoint& point) { return point.level == level && point.pages == pages; });
  return found == data.end() ? nullptr : &*found;
}

static const MachineCache* find_cache(const Host& host, unsigned level, llvm::StringRef type) {
  auto found = llvm::find_if(host.machine.caches, [&](const MachineCache& cache) {
    return cache.level == level && (cache.type == type || cache.type == "Unified");
  });
  return found == host.machine.caches.end() ? nullptr : &*found;
}

uint64_t Host::cache_bytes(unsigned level, llvm::StringRef type) const {
  const MachineCache* cache = find_cache(*this, level, type);
  if (!cache) return 0;
  llvm::StringRef number = cache->size;
  uint64_t unit = number.consume_back("K") ? 1024 : number.consume_back("M") ? 1024 * 1024 : 1, bytes = 0;
  return number.getAsInteger(10, bytes) ? 0 : bytes * unit;
}

unsigned Host::cache_ways(unsigned level, llvm::StringRef type) const {
  const MachineCache* cache = find_cache(*this, level, type);
  return cache ? cache->ways : 0;
}

static double instructions_per_line(const FrontEnd& front_end, CodeKind kind) {
  if (kind == &CodePoint::straight) return front_end.straight_instructions_per_line;
  return kind == &CodePoint::conditional ? front_end.conditional_instructions_per_line
                                         : front_end.indirect_instructions_per_line;
}

double refill_cycles_per_line(const Host& host, CodeKind kind, double lines) {
  const std::vector<CodePoint>& points = host.front_end.points;
  if (points.empty()) return 0;
  // More code never costs less: what says so was disturbed while it was measured.
  std::vector<double> costs;
  for (const CodePoint& point : points)
    costs.push_back(point.*kind);
  for (size_t i = costs.size() - 1; i != 0; --i)
    costs[i - 1] = std::min(costs[i - 1], costs[i]);

  const double kib = lines * 64 / 1024;
  auto is_below = [&](const CodePoint& point) { return double(point.footprint_kib) < kib; };
  const size_t above = size_t(llvm::partition_point(points, is_below) - points.begin());
  double cost = costs[std::min(above, costs.size() - 1)];
  if (above != 0 && above != points.size()) {
    // By the logarithm: footprints double from point to point.
    const double low = double(points[above - 1].footprint_kib), high = double(points[above].footprint_kib);
    cost = std::lerp(costs[above - 1], costs[above], std::log(kib / low) / std::log(high / low));
  }
  return (cost - costs.front()) * instructions_per_line(host.front_end, kind);
}

} // namespace heddle
