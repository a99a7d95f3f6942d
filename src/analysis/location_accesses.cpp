#include "analysis/location_accesses.h"

#include "analysis/names.h"

#include <algorithm>

namespace heddle {

std::string LocationAccesses::function_name(const llvm::Instruction& at) const {
  llvm::StringRef name = innermost_function(at);
  bool body = at.getFunction() == body_.body && name.starts_with("heddle.");
  return body && !body_.function.empty() ? body_.function : name.str();
}

void LocationAccesses::touch(SharedLocation& location, uint32_t node, const llvm::Instruction* at, bool write,
                             bool rare) const {
  LocationAccess access{node, write, {}, {}, rare};
  if (location.accesses.size() < named_accesses) {
    access.at = location_of(*at).str();
    access.function = function_name(*at);
  }
  location.accesses.push_back(access);
}

void LocationAccesses::merge_by_node(SharedLocation& location) {
  std::sort(location.accesses.begin(), location.accesses.end(), [](const auto& a, const auto& b) {
    return std::tie(a.node, a.rare, b.write) < std::tie(b.node, b.rare, a.write);
  });
  auto same = [](const auto& a, const auto& b) { return a.node == b.node && a.rare == b.rare; };
  location.accesses.erase(std::unique(location.accesses.begin(), location.accesses.end(), same),
                          location.accesses.end());
}

std::vector<LocationAccesses::Maker> LocationAccesses::makers_of(llvm::ArrayRef<uint32_t> keys) {
  std::vector<Maker> makers;
  for (uint32_t key : keys) {
    bool write = table_.keys()[key].write, rare = table_.keys()[key].rare;
    for (const auto& [unit, at] : table_.made_by(key)) {
      uint32_t& slot = maker_slot_[2 * unit + rare];
      if (slot >= makers.size() || makers[slot].unit != unit || makers[slot].rare != rare) {
        slot = uint32_t(makers.size());
        makers.push_back({unit, rare, at, write});
      } else if (write && !makers[slot].write) {
        makers[slot].at = at;
        makers[slot].write = true;
      }
    }
  }
  llvm::sort(makers, [](const Maker& a, const Maker& b) {
    return std::tie(a.unit, a.rare) < std::tie(b.unit, b.rare);
  });
  return makers;
}

std::vector<uint64_t> LocationAccesses::units_of(llvm::ArrayRef<uint32_t> keys) const {
  std::vector<uint64_t> units(2 * table_.unit_count() / 64 + 1);
  for (uint32_t key : keys)
    for (const auto& [unit, at] : table_.made_by(key)) {
      size_t bit = 2 * size_t(unit) + table_.keys()[key].rare;
      units[bit / 64] |= uint64_t(1) << (bit % 64);
    }
  return units;
}

void LocationAccesses::touch_all(SharedLocation& location, llvm::ArrayRef<uint32_t> keys) {
  note_sample(location, keys);
  llvm::DenseMap<uint32_t, uint32_t> entry_of[2]; // node -> index into accesses; of common and rare ones
  for (const Maker& maker : makers_of(keys))
    for (uint32_t node : table_.nodes_of(maker.unit)) {
      auto [it, fresh] = entry_of[maker.rare].try_emplace(node, uint32_t(location.accesses.size()));
      if (fresh)
        touch(location, node, maker.at, maker.write, maker.rare);
      else
        location.accesses[it->second].write |= maker.write;
    }
  merge_by_node(location);
}

bool LocationAccesses::ran(llvm::ArrayRef<uint32_t> keys) const {
  return !spans_ || llvm::any_of(keys, [&](uint32_t key) { return table_.run_of(key).first; });
}

void LocationAccesses::note_sample(SharedLocation& location, llvm::ArrayRef<uint32_t> keys) const {
  location.ran = ran(keys);
  struct Bounds {
    const llvm::Instruction *first = nullptr, *last = nullptr;
    RunSpan span;
  } bounds[2]; // reads, writes
  for (uint32_t key : keys) {
    const AccessTable::Run& run = table_.run_of(key);
    Bounds& known = bounds[table_.keys()[key].write];
    if (run.first && (!known.first || run.span.first < known.span.first)) {
      known.first = run.first;
      known.span.first = run.span.first;
    }
    if (run.last && (!known.last || run.span.last > known.span.last)) {
      known.last = run.last;
      known.span.last = run.span.last;
    }
  }
  auto add = [&](const llvm::Instruction* at, double when, bool write) {
    location.sampled.push_back({when, write, function_name(*at), location_of(*at).str()});
  };
  for (bool write : {false, true}) {
    const Bounds& known = bounds[write];
    if (!known.first) continue;
    add(known.first, known.span.first, write);
    if (known.last != known.first) add(known.last, known.span.last, write);
  }
  keep_bounds(location.sampled);
}

} // namespace heddle
