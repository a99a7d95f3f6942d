// Problem: a compare with a constant takes a fraction of a nanosecond, if the processor has foreseen how it ends. Ten services that are asked for
// in no order are not foreseen: then a tree of compares costs more than a lookup in an array, and little less than one in a hash table.
//
// Choice: the expected time of each way, from what single steps take on this machine (bpf/host_costs.h). What the branches of a tree of compares cost
// follows from how often each outcome is met: a branch that is taken with probability p is mispredicted at best with min(p, 1 - p), which
// is at most half of its entropy, and the entropies of a tree's branches add up to that of its outcomes (Hellman and Raviv 1970). So half of the
// outcomes' entropy, in bits, is the number of surprises per lookup: none for one dominant key, 1.7 for ten equal ones. That is for outcomes
// that come in no order; a predictor may know better for some traffic, and never does worse for long. A chain of prefixes is priced
// link by link. The steps were measured one behind the other, so times are until the value is there; programs overlap some of that, of a lookup's loads
// more than of surprises.
//
// What is not priced: that constants fold what comes behind (it favours compares), that indexes and tables share the caches with all
// else, and that a tree's code takes room. So a way has to be better by a tenth.
#include "specialize/cost.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

namespace heddle {

namespace {

constexpr double better_by = 0.1;
constexpr unsigned most_hot_keys = 16; // as heat.cpp has them
constexpr double bits_of_halves =
    2; // the entropy of keys of which each is met half as often as the one before

double bits_of(double share) {
  return share > 0 ? -share * std::log2(share) : 0;
}

double words_of(uint32_t key_bytes) {
  return double(llvm::divideCeil(key_bytes, 8));
}

uint32_t prefix_bits(const std::string& key) {
  uint32_t bits = 0;
  memcpy(&bits, key.data(), sizeof bits);
  return bits;
}

bool covers(const std::string& prefix, const std::string& key) {
  uint32_t bits = prefix_bits(prefix);
  if (prefix_bits(key) < bits) return false;
  for (uint32_t bit = 0; bit != bits; ++bit)
    if (((prefix[4 + bit / 8] ^ key[4 + bit / 8]) & (0x80 >> bit % 8)) != 0) return false;
  return true;
}

// The entry that the key matches, or null.
const TableEntry* find_entry(const Table& table, const std::string& key) {
  const TableEntry* best = nullptr;
  for (const TableEntry& entry : table.entries) {
    if (table.kind != TableKind::Lpm) {
      if (entry.key == key) return &entry;
    } else if (covers(entry.key, key) && (!best || prefix_bits(best->key) < prefix_bits(entry.key))) {
      best = &entry;
    }
  }
  return best;
}

// A tree over so many outcomes.
double tree_cost(const HostCosts& costs, size_t outcomes, uint32_t key_bytes, double bits) {
  double steps = words_of(key_bytes) + double(llvm::Log2_64_Ceil(std::max<size_t>(outcomes, 1)));
  return steps * costs.compare + bits / 2 * costs.surprise;
}

// From the longest prefix to the shortest, each behind a branch.
double chain_cost(const HostCosts& costs, const Table& table, const Outcomes& outcomes) {
  double step = words_of(table.key_bytes) * costs.compare;
  if (!outcomes.known()) return step * double(table.entries.size());
  std::vector<size_t> order(table.entries.size());
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) {
    return prefix_bits(table.entries[a].key) > prefix_bits(table.entries[b].key);
  });
  double cost = 0, left = 1; // the share that comes so far
  for (size_t entry : order) {
    double here = outcomes.of_entry[entry];
    cost += left * step + std::min(here, std::max(left - here, 0.0)) * costs.surprise;
    left -= here;
  }
  return cost;
}

} // namespace

double Outcomes::bits() const {
  double bits = bits_of(none);
  for (double share : of_entry)
    bits += bits_of(share);
  return bits;
}

Outcomes outcomes_of(const Table& table, const llvm::StringMap<uint64_t>& sampled) {
  Outcomes outcomes;
  uint64_t total = 0;
  for (const auto& key : sampled)
    total += key.second;
  if (total == 0) return outcomes;
  outcomes.of_entry.resize(table.entries.size());
  for (const auto& key : sampled) {
    const TableEntry* entry = find_entry(table, key.first().str());
    double& share = entry ? outcomes.of_entry[entry - table.entries.data()] : outcomes.none;
    share += double(key.second) / double(total);
  }
  return outcomes;
}

double lookup_cost(const HostCosts& costs, const Table& table) {
  double doublings = std::log2(std::max(double(table.entries.size()), 16.0) / 16);
  switch (table.kind) {
  case TableKind::Array:
    return costs.array;
  case TableKind::Exact:
    return costs.hash + doublings * costs.hash_doubling +
           std::max(0.0, double(table.key_bytes) - 4) * costs.hash_byte;
  case TableKind::Lpm:
    return costs.prefix + doublings * costs.prefix_doubling;
  }
  return 0;
}

double compares_cost(const HostCosts& costs, const Table& table, const Outcomes& outcomes) {
  if (table.kind == TableKind::Lpm) return chain_cost(costs, table, outcomes);
  return tree_cost(costs, table.entries.size() + 1, table.key_bytes, outcomes.bits());
}

double index_cost(const HostCosts& costs, const Index& index, uint32_t key_bytes) {
  constexpr double node = 1, value = 1; // loads; what compares find is a constant
  if (index.kind == TableKind::Lpm) return (node + index.levels + value) * costs.load + 2 * costs.compare;
  if (!index.hashed) return (node + value) * costs.load + 2 * costs.compare;
  return costs.hashed + (words_of(key_bytes) - 1) * costs.hashed_word;
}

double hot_keys_cost(const HostCosts& costs, const Table& table, const HotLookups& hot) {
  uint64_t total = hot.others;
  for (const KnownLookup& known : hot.known)
    total += known.count;
  if (total == 0) return lookup_cost(costs, table);
  double others = double(hot.others) / double(total), bits = bits_of(others);
  for (const KnownLookup& known : hot.known)
    bits += bits_of(double(known.count) / double(total));
  return tree_cost(costs, hot.known.size() + 1, table.key_bytes, bits) + others * lookup_cost(costs, table);
}

double hot_keys_pay_at(const HostCosts& costs, const Table& table) {
  constexpr double step = 0.05, most = 0.95;
  for (double share = step; share < most; share += step) {
    double bits = bits_of(1 - share) + bits_of(share) + share * bits_of_halves;
    double cost = tree_cost(costs, most_hot_keys + 1, table.key_bytes, bits);
    if (pays(cost + (1 - share) * lookup_cost(costs, table), lookup_cost(costs, table))) return share;
  }
  return most;
}

bool pays(double cost, double instead_of) {
  return cost < (1 - better_by) * instead_of;
}

} // namespace heddle
