// Filling a cuckoo hash table with buckets of eight, up to 0.9 and more: the shortest chain of moves that frees a slot of one of a
// key's two buckets is looked for breadth first (MemC3, section 4.3; CuckooSwitch, section 3.2), and made from its end.
#pragma once

#include <cstdint>
#include <vector>

namespace lookup {

// Table: is_empty(bucket, slot); other(bucket, slot), where what is there may be instead; move(from, slot, to, slot). Gives a free
// slot in one of both buckets as bucket * 8 + slot, or -1: the table is full.
template <class Table> int64_t free_cuckoo_slot(Table& table, uint64_t first, uint64_t second) {
  struct Step {
    uint64_t bucket;
    int from; // the step before, and which of its slots comes here
    unsigned slot;
  };
  for (uint64_t bucket : {first, second})
    for (unsigned slot = 0; slot < 8; ++slot)
      if (table.is_empty(bucket, slot)) return int64_t(bucket * 8 + slot);
  constexpr size_t most_steps = 2000;
  std::vector<Step> steps{{first, -1, 0}, {second, -1, 0}};
  for (size_t at = 0; at < steps.size() && at < most_steps; ++at) {
    for (unsigned slot = 0; slot < 8; ++slot) {
      if (!table.is_empty(steps[at].bucket, slot)) continue;
      uint64_t bucket = steps[at].bucket;
      for (const Step* step = &steps[at]; step->from >= 0; step = &steps[step->from]) {
        const uint64_t before = steps[step->from].bucket;
        table.move(before, step->slot, bucket, slot);
        bucket = before;
        slot = step->slot;
      }
      return int64_t(bucket * 8 + slot);
    }
    for (unsigned slot = 0; slot < 8; ++slot)
      steps.push_back({table.other(steps[at].bucket, slot), int(at), slot});
  }
  return -1;
}

} // namespace lookup
