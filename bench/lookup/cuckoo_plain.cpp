// A cuckoo hash table's look-up as anybody writes it; compiled twice (plain.h).
#include "cuckoo.h"
#include "plain.h"

static inline uint32_t look_up(const Cuckoo* table, uint32_t key) {
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
  return bucket->values[__builtin_ctz(matches)];
}

PLAIN(cuckoo)(const Cuckoo* __restrict table, const uint32_t* __restrict keys, uint32_t* __restrict results,
              int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
