#include "analysis/cut_graph.h"

#include <algorithm>
#include <tuple>

namespace heddle {

void keep_bounds(std::vector<SampledAccess>& sampled) {
  std::sort(sampled.begin(), sampled.end(), [](const SampledAccess& a, const SampledAccess& b) {
    return std::tie(a.when, a.write, a.at, a.function) < std::tie(b.when, b.write, b.at, b.function);
  });
  std::vector<bool> keep(sampled.size());
  auto is_write = [](const SampledAccess& access) { return access.write; };
  if (!sampled.empty()) keep.front() = keep.back() = true;
  if (auto first = std::find_if(sampled.begin(), sampled.end(), is_write); first != sampled.end()) {
    keep[size_t(first - sampled.begin())] = true;
    auto last = std::find_if(sampled.rbegin(), sampled.rend(), is_write);
    keep[size_t(sampled.rend() - last) - 1] = true;
  }
  std::vector<SampledAccess> kept;
  for (size_t i = 0; i != sampled.size(); ++i)
    if (keep[i]) kept.push_back(std::move(sampled[i]));
  sampled = std::move(kept);
}

} // namespace heddle
