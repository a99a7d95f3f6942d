// A name's look-up as anybody writes it: for the processor, once and once more by Heddle, and for a GPU.
#pragma once

#include "ndn.h"
#include "plain.h"

ANYWHERE static inline uint32_t look_up(const Ndn* table, const NdnName& name) {
  const uint64_t hash = ndn_hash(name);
  const uint32_t tag = ndn_tag(hash);
  uint64_t at = ndn_first(hash, table->mask);
  for (int attempt = 0; attempt < 2; attempt++) {
    const NdnBucket* bucket = &table->buckets[at];
    EXPENSIVE(bucket);
    for (unsigned matches = ndn_matches(*bucket, tag); matches; matches &= matches - 1) {
      const NdnEntry* entry = &table->entries[bucket->entries[lookup::lowest_bit(matches)]];
      EXPENSIVE(entry);
      if (ndn_same(entry->name, name)) return entry->port;
    }
    at = ndn_other(at, tag, table->mask);
  }
  return ndn_no_port;
}
