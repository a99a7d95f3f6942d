// Both addresses of a packet, one after the other, as anybody writes it: for the processor, once and once more by Heddle, and for a GPU.
#pragma once

#include "l2.h"
#include "plain.h"

ANYWHERE static inline uint16_t port_of(const L2* table, uint64_t address) {
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

ANYWHERE static inline uint32_t look_up(const L2* table, const L2Packet& packet) {
  const uint16_t from = port_of(table, l2_address(packet.source));
  const uint16_t to = port_of(table, l2_address(packet.destination));
  return l2_result(to, from);
}
