// Problem: the kernel's hash tables take tens of nanoseconds, and compares that no processor foresees hardly less. Keys that are wide, or numbers far
// apart, have no array by themselves.
//
// Choice: a perfect hash function, as in Tarjan and Yao's tables (CACM 1979): one hash of the key chooses a node, which says by how many places all
// keys of that node are moved from where a second hash puts them, so that each key has a slot of its own. A lookup is two products, two loads, and one compare
// of all the key at once, which ends alike for all keys that are in the table: nothing has to be foreseen. Nodes are filled in the order of how
// many keys they have; with two keys each in the mean, and slots for a quarter more than there are, each has its place after a few tries. The hash is
// Fibonacci's (Knuth 6.4), of which the upper bits depend on all the key. In a slot without a key stands another's, which is never looked for there.
//
// Bounds: keys of up to 64 bytes, 16 MiB for an index.
#include "specialize/hash_index.h"

#include "specialize/index_find.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace heddle {

namespace {

constexpr uint32_t most_key_bytes = 64;
constexpr uint64_t most_bytes = 16 << 20;
constexpr unsigned most_seeds = 16;

class Builder {
public:
  Builder(const Table& table, uint64_t seed)
      : node_bits_(std::max(1U, llvm::Log2_64_Ceil(table.entries.size() / 2 + 1))),
        slot_bits_(std::max(1U, llvm::Log2_64_Ceil(table.entries.size() * 5 / 4))),
        members_(1U << node_bits_), moved_(1U << node_bits_), slots_(1U << slot_bits_) {
    for (const auto& [number, entry] : llvm::enumerate(table.entries)) {
      uint64_t hash =
          heddle_index_hash(reinterpret_cast<const uint8_t*>(entry.key.data()), entry.key.size(), seed);
      members_[hash >> (64 - node_bits_)].push_back({hash, uint32_t(number) + 1});
    }
  }

  bool place_all() {
    std::vector<uint32_t> order(members_.size());
    for (uint32_t node = 0; node != order.size(); ++node)
      order[node] = node;
    llvm::sort(order, [&](uint32_t a, uint32_t b) {
      return std::pair(members_[b].size(), a) < std::pair(members_[a].size(), b);
    });
    return llvm::all_of(order, [&](uint32_t node) { return place(node); });
  }

  std::vector<uint32_t> take_nodes() { return std::move(moved_); }
  const std::vector<uint32_t>& slots() const { return slots_; } // numbers of entries, from 1; 0: none

private:
  struct Member {
    uint64_t hash;
    uint32_t number;
  };

  bool place(uint32_t node) {
    for (uint32_t moved = 0; moved != slots_.size(); ++moved) {
      if (!fits(node, moved)) continue;
      moved_[node] = moved;
      return true;
    }
    return false;
  }

  // Takes the slots, or none.
  bool fits(uint32_t node, uint32_t moved) {
    std::vector<uint32_t> taken;
    for (const Member& member : members_[node]) {
      uint32_t slot = heddle_index_slot(member.hash, moved, slot_bits_);
      if (slots_[slot] != 0) {
        for (uint32_t mine : taken)
          slots_[mine] = 0;
        return false;
      }
      slots_[slot] = member.number;
      taken.push_back(slot);
    }
    return true;
  }

  uint32_t node_bits_, slot_bits_;
  std::vector<std::vector<Member>> members_; // of each node
  std::vector<uint32_t> moved_, slots_;
};

} // namespace

bool index_hashed(const Table& table, Index& index, NoIndex& why) {
  if (table.key_bytes > most_key_bytes) {
    why = {"wide-keys", "its keys are longer than 64 bytes", "nothing to do"};
    return false;
  }
  size_t key_room = llvm::alignTo(table.key_bytes, 8);
  uint64_t slots = llvm::PowerOf2Ceil(table.entries.size() * 5 / 4);
  if (slots * (key_room + llvm::alignTo(table.value_bytes, 8) + 4) > most_bytes) {
    why = {"large-index", "an index of its keys would take more than 16 MiB", "fewer entries take less"};
    return false;
  }
  for (uint64_t seed = 1; seed <= most_seeds; ++seed) {
    Builder builder(table, seed);
    if (!builder.place_all()) continue;
    index.hashed = true;
    index.seed = seed;
    for (uint32_t number : builder.slots()) {
      const TableEntry& entry = table.entries[number == 0 ? 0 : number - 1];
      std::string& slot = index.values.emplace_back(entry.key);
      slot.resize(key_room);
      slot += entry.value;
    }
    index.nodes = builder.take_nodes();
    return true;
  }
  why = {"no-perfect-hash", "no hash function parts its keys", "report it"};
  return false;
}

} // namespace heddle
