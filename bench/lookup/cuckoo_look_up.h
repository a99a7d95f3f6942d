// A cuckoo hash table's look-up as anybody writes it: for the processor, once and once more by Heddle, and for a GPU.
#pragma once

#include "cuckoo.h"
#include "plain.h"

ANYWHERE static inline uint32_t look_up(const Cuckoo* table, uint32_t key) {
  const uint64_t hash = cuckoo_hash(key);
  const CuckooBucket* bucket = &table->buckets[cuckoo_first(hash, table->mask)];
  EXPENSIVE(bucket);
  unsigned matches = cuckoo_matches(*bucket, key);
  if (matches == 0) {
    bucket = &table->buckets[cuckoo_second(hash, table->mask)];
    EXPENSIVE(bucket);
    matches = cuckoo_matches(*bucket, key);
    if (matches == 0) return 0;
  }
  return bucket->values[lookup::lowest_bit(matches)];
}
