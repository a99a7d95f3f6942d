// Both addresses of a packet, one after the other, as anybody writes it; compiled twice (plain.h).
#include "l2.h"
#include "plain.h"

static inline uint16_t port_of(const L2* table, uint64_t address) {
  const uint64_t hash = l2_hash(address);
  const L2Bucket* bucket = &table->buckets[l2_first(hash, table->mask)];
  EXPENSIVE(bucket);
  unsigned matches = l2_matches(*bucket, address);
  if (matches == 0) {
    bucket = &table->buckets[l2_second(hash, table->mask)];
    EXPENSIVE(bucket);
    matches = l2_matches(*bucket, address);
  }
  return l2_port(*bucket, matches);
}

static inline uint32_t look_up(const L2* table, const L2Packet& packet) {
  const uint16_t from = port_of(table, l2_address(packet.source));
  const uint16_t to = port_of(table, l2_address(packet.destination));
  return l2_result(to, from);
}

PLAIN(l2)(const L2* __restrict table, const L2Packet* __restrict keys, uint32_t* __restrict results, int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
