#include "specialize/bpf/sampler.h"

#include "specialize/bpf/linked_layout.h"
#include "specialize/bpf/running.h"

#include "llvm/ADT/STLExtras.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cmath>
#include <utility>

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr uint32_t sketch_entries = 2048;
constexpr uint64_t enough_samples = 1200, most_between = 1 << 20;

Expected<Descriptor> create_map(bpf_map_type type, const char* name, uint32_t key_bytes, uint32_t value_bytes,
                                uint32_t entries) {
  Descriptor fd(bpf_map_create(type, name, key_bytes, value_bytes, entries, nullptr));
  if (fd) return fd;
  return bpf_error("the maps for samples cannot be made", errno, name);
}

Expected<Descriptor> create_sketch(uint32_t key_bytes) {
  return create_map(BPF_MAP_TYPE_LRU_PERCPU_HASH, "heddle_sketch", key_bytes, 8, sketch_entries);
}

// Empties the sketch: how often each key was sampled, on all processors.
Expected<llvm::StringMap<uint64_t>> drain(const Descriptor& sketch, uint32_t key_bytes) {
  const size_t processors = libbpf_num_possible_cpus();
  std::string keys(size_t(sketch_entries) * key_bytes, '\0');
  std::vector<uint64_t> counts(sketch_entries * processors);
  llvm::StringMap<uint64_t> found;
  uint64_t at = 0; // where the kernel goes on
  for (bool first = true, more = true; more; first = false) {
    uint32_t count = sketch_entries;
    if (bpf_map_lookup_and_delete_batch(sketch.get(), first ? nullptr : &at, &at, keys.data(), counts.data(),
                                        &count, nullptr) != 0) {
      if (errno != ENOENT) return bpf_error("the samples cannot be read", errno, "heddle_sketch");
      more = false;
    }
    for (size_t i = 0; i != count; ++i) {
      uint64_t& sum = found[StringRef(keys).substr(i * key_bytes, key_bytes)];
      for (size_t processor = 0; processor != processors; ++processor)
        sum += counts[i * processors + processor];
    }
  }
  return found;
}

} // namespace

Expected<Sampler> Sampler::start(double percent) {
  Sampler sampler;
  auto gaps = create_map(BPF_MAP_TYPE_PERCPU_ARRAY, "heddle_gaps", 4, sizeof(heddle_gap), 1);
  if (!gaps) return gaps.takeError();
  sampler.gaps_ = std::move(*gaps);
  auto mean = create_map(BPF_MAP_TYPE_ARRAY, "heddle_mean", 4, 8, 1);
  if (!mean) return mean.takeError();
  sampler.mean_ = std::move(*mean);
  sampler.least_between_ = std::max<uint64_t>(1, std::llround(100 / percent));
  if (Error error = sampler.set_between(sampler.least_between_)) return std::move(error);
  return sampler;
}

Error Sampler::set_between(uint64_t packets) {
  between_ = packets;
  uint32_t zero = 0;
  if (bpf_map_update_elem(mean_.get(), &zero, &between_, BPF_ANY) == 0) return Error::success();
  return bpf_error("the rate of sampling cannot be set", errno, "heddle_mean");
}

Expected<Sampler::Site*> Sampler::site(StringRef name, StringRef map, uint32_t key_bytes, double pays_at) {
  auto known = sites_.find(name);
  if (known != sites_.end()) return &known->second;
  auto sketch = create_sketch(key_bytes);
  if (!sketch) return sketch.takeError();
  Site site{map.str(), std::move(*sketch), key_bytes, SiteHeat(pays_at)};
  return &sites_.emplace(name.str(), std::move(site)).first->second;
}

Expected<Sampler::Reached*> Sampler::reached(StringRef name, uint32_t key_bytes) {
  auto [place, is_new] = reached_.try_emplace(name.str());
  Reached& site = place->second;
  if (is_new) {
    auto counter = create_map(BPF_MAP_TYPE_ARRAY, "heddle_reached", 4, 8, 1);
    if (!counter) return counter.takeError();
    site.counter = std::move(*counter);
  }
  if (key_bytes != 0 && !site.sketch) {
    auto sketch = create_sketch(key_bytes);
    if (!sketch) return sketch.takeError();
    site.sketch = std::move(*sketch);
    site.key_bytes = key_bytes;
  }
  return &site;
}

const Sampler::Reached* Sampler::known_reached(StringRef name) const {
  auto known = reached_.find(name);
  return known == reached_.end() ? nullptr : &known->second;
}

Error Sampler::look_at(Reached& site, uint64_t packets, bool current) {
  uint64_t counted = 0;
  uint32_t zero = 0;
  if (bpf_map_lookup_elem(site.counter.get(), &zero, &counted) != 0)
    return bpf_error("the samples cannot be read", errno, "heddle_reached");
  uint64_t came = counted - std::exchange(site.counted, counted);
  bool was_counting = site.reach.counting();
  if (was_counting && site.sketch) {
    auto found = drain(site.sketch, site.key_bytes);
    if (!found) return found.takeError();
    for (const auto& key : *found)
      site.counting_keys[key.first()] += key.second;
  }
  // Packets may have met a version that does not count there yet.
  if (current && !std::exchange(site.is_new, false)) site.reach.look(packets, came);
  if (was_counting && !site.reach.counting()) site.keys = std::exchange(site.counting_keys, {});
  if (!was_counting && site.reach.counting()) site.is_new = true;
  return Error::success();
}

Error Sampler::look(bool current) {
  for (auto& [name, site] : sites_) {
    if (!site.heat.sampling()) {
      site.heat.look({});
      continue;
    }
    auto found = drain(site.sketch, site.key_bytes);
    if (!found) return found.takeError();
    site.heat.look(*found);
  }
  std::vector<heddle_gap> gaps(libbpf_num_possible_cpus());
  uint32_t zero = 0;
  if (bpf_map_lookup_elem(gaps_.get(), &zero, gaps.data()) != 0)
    return bpf_error("the samples cannot be read", errno, "heddle_gaps");
  uint64_t taken = 0;
  for (const heddle_gap& gap : gaps)
    taken += gap.taken;
  for (auto& [name, site] : reached_)
    if (Error error = look_at(site, taken - taken_, current)) return error;
  uint64_t packets = (taken - taken_) * between_;
  taken_ = taken;
  auto now = std::chrono::steady_clock::now();
  rate_ = double(packets) / std::chrono::duration<double>(now - std::exchange(looked_, now)).count();
  uint64_t wanted = std::clamp(packets / enough_samples, least_between_, most_between);
  bool differs = wanted > 2 * between_ || 2 * wanted < between_;
  return differs ? set_between(wanted) : Error::success();
}

bool Sampler::sampling() const {
  return llvm::any_of(sites_, [](const auto& site) { return site.second.heat.sampling(); }) ||
         llvm::any_of(reached_, [](const auto& site) { return site.second.reach.counting(); });
}

uint64_t Sampler::changes() const {
  uint64_t changes = 0;
  for (const auto& [name, site] : sites_)
    changes += site.heat.changes();
  for (const auto& [name, site] : reached_)
    changes += site.reach.changes();
  return changes;
}

} // namespace heddle
