// Problem: the kernel's hash tables hash and compare keys in calls that cost tens of nanoseconds, and its tries of prefixes follow a
// pointer per branch, which is a hundred and more in a table of thousands.
//
// Choice: what is known not to change while the code runs can be laid out for lookups alone. Numbers close together become an array from
// the number to the value's number. Other keys get a perfect hash function (hash_index.cpp). Prefixes become the multibit trie of software routers (16 bits, then 8 by 8; Gupta, Lin and
// McKeown's DIR-24-8 with a smaller first level), with shorter prefixes pushed down to the leaves: inserted in the order of
// their length, each overwrites what it is more exact than. Two to four loads find a route. The values lie apart, each once, so that
// what a lookup returns is a pointer to all bytes of a value, as before.
//
// Bounds: 4 Mi nodes (16 MiB) for an index; numbers fill at least a quarter of their range.
#include "specialize/index.h"

#include "specialize/hash_index.h"
#include "specialize/index_find.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"

namespace heddle {

namespace {

constexpr size_t most_nodes = 4 << 20, first_level = 65536, block = 256;
constexpr uint64_t sparsest = 4; // numbers in the range of the keys, for each of them

class Values {
public:
  explicit Values(std::vector<std::string>& values) : values_(values) {}

  uint32_t number_of(const std::string& value) {
    auto [place, is_new] = numbers_.try_emplace(value, values_.size());
    if (is_new) values_.push_back(value);
    return place->second;
  }

private:
  std::vector<std::string>& values_;
  llvm::StringMap<uint32_t> numbers_;
};

uint32_t number_of(const std::string& key, bool swapped) {
  uint32_t number = 0;
  for (size_t i = 0; i != key.size(); ++i)
    number |= uint32_t(uint8_t(key[i])) << (8 * (swapped ? key.size() - 1 - i : i));
  return number;
}

// Nothing is done where the keys are no numbers close together.
bool index_numbers(const Table& table, Index& index) {
  if (table.key_bytes != 1 && table.key_bytes != 2 && table.key_bytes != 4) return false;
  uint64_t range = UINT64_MAX;
  for (bool swapped : {false, true}) {
    uint32_t least = UINT32_MAX, most = 0;
    for (const TableEntry& entry : table.entries) {
      uint32_t number = number_of(entry.key, swapped);
      least = std::min(least, number);
      most = std::max(most, number);
    }
    if (uint64_t(most) - least + 1 >= range) continue;
    range = uint64_t(most) - least + 1;
    index.least = least;
    index.swapped = swapped;
  }
  if (range > sparsest * table.entries.size() || range > most_nodes) return false;
  index.nodes.assign(range, HEDDLE_INDEX_NOTHING);
  Values values(index.values);
  for (const TableEntry& entry : table.entries)
    index.nodes[number_of(entry.key, index.swapped) - index.least] = values.number_of(entry.value);
  return true;
}

// Puts one prefix in; none that is shorter comes later.
bool insert(Index& index, uint32_t bits, llvm::ArrayRef<uint8_t> address, uint32_t value) {
  size_t base = 0, slot = size_t(address[0]) << 8 | address[1], slots = first_level;
  uint32_t end = 16; // bits that have been used at the end of this level
  for (; bits > end; end += 8) {
    uint32_t below = index.nodes[base + slot];
    if (!(below & HEDDLE_INDEX_BELOW)) {
      if (index.nodes.size() + block > most_nodes) return false;
      uint32_t pushed = below;
      below = HEDDLE_INDEX_BELOW | uint32_t(index.nodes.size());
      index.nodes[base + slot] = below;
      index.nodes.resize(index.nodes.size() + block, pushed);
    }
    base = below & ~HEDDLE_INDEX_BELOW;
    slot = address[end / 8];
    slots = block;
  }
  size_t same = size_t(1) << (end - bits); // nodes that the prefix covers
  same = std::min(same, slots);
  slot = slot / same * same;
  std::fill_n(index.nodes.begin() + ptrdiff_t(base + slot), same, value);
  index.levels = std::max(index.levels, (end - 16) / 8);
  return true;
}

bool index_prefixes(const Table& table, Index& index, NoIndex& why) {
  if (table.key_bytes < 6) {
    why = {"short-keys", "its addresses have fewer than 16 bits", "nothing to do"};
    return false;
  }
  std::vector<std::pair<uint32_t, const TableEntry*>> prefixes;
  for (const TableEntry& entry : table.entries)
    prefixes.emplace_back(llvm::support::endian::read32(entry.key.data(), llvm::endianness::native), &entry);
  llvm::sort(prefixes, [](const auto& a, const auto& b) { return a.first < b.first; });
  index.nodes.assign(first_level, HEDDLE_INDEX_NOTHING);
  index.least_bits = prefixes.back().first;
  Values values(index.values);
  for (const auto& [bits, entry] : prefixes) {
    llvm::ArrayRef<uint8_t> address(reinterpret_cast<const uint8_t*>(entry->key.data()) + 4,
                                    table.key_bytes - 4);
    if (insert(index, bits, address, values.number_of(entry->value))) continue;
    why = {"large-index", "an index of its prefixes would take more than 16 MiB",
           "fewer long prefixes take less"};
    return false;
  }
  return true;
}

} // namespace

bool make_index(const Table& table, Index& index, NoIndex& why) {
  index.kind = table.kind;
  if (table.kind == TableKind::Lpm) return index_prefixes(table, index, why);
  return index_numbers(table, index) || index_hashed(table, index, why);
}

} // namespace heddle
