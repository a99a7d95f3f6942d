// A layer-2 switch: source and destination of each packet looked up in a cuckoo hash table of MAC addresses (CuckooSwitch, Zhou et
// al., CoNEXT 2013; G-Opt, section 4; Kumar et al., APSys 2017, section 3.1 (1): both addresses, up to 16 million). A bucket
// is a cache line of eight slots; a slot is an address and its port.
#pragma once

#include "anywhere.h"

#include <cstdint>
#include <cstring>

struct L2Packet {
  uint8_t destination[6], source[6];
  uint16_t type, rest; // to 16 bytes, of which a whole word can be read at either address
};
struct L2Bucket {
  uint64_t slots[8]; // address << 16 | port; 0: nothing there
};
struct L2 {
  const L2Bucket* buckets;
  uint64_t mask; // how many buckets there are, less one
};

constexpr uint16_t l2_flood = 0xffff; // the port of an address that is not known

ANYWHERE inline uint64_t l2_address(const uint8_t* bytes) {
  uint32_t low;
  uint16_t high;
  std::memcpy(&low, bytes, 4);
  std::memcpy(&high, bytes + 4, 2);
  return low | uint64_t(high) << 32;
}

ANYWHERE inline uint64_t l2_hash(uint64_t address) {
  uint64_t hash = address * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  return hash * 0xd6e8feb86659fd93u;
}
ANYWHERE inline uint64_t l2_first(uint64_t hash, uint64_t mask) {
  return (hash >> 32) & mask;
}
ANYWHERE inline uint64_t l2_second(uint64_t hash, uint64_t mask) {
  return (hash ^ (hash >> 29)) & mask;
}

// The slots with the address, as bits.
ANYWHERE inline unsigned l2_matches(const L2Bucket& bucket, uint64_t address) {
  unsigned matches = 0;
  for (unsigned slot = 0; slot < 8; slot++)
    matches |= unsigned(bucket.slots[slot] >> 16 == address) << slot;
  return matches;
}
ANYWHERE inline uint16_t l2_port(const L2Bucket& bucket, unsigned matches) {
  return matches ? uint16_t(bucket.slots[lookup::lowest_bit(matches)]) : l2_flood;
}
// What both look-ups give: where the packet goes, and where its source was learnt.
ANYWHERE inline uint32_t l2_result(uint16_t to, uint16_t from) {
  return to | uint32_t(from) << 16;
}

#define L2_(variant)                                                                                         \
  extern "C" void l2_##variant(const L2* table, const L2Packet* keys, uint32_t* results, int n)
L2_(baseline);
L2_(heddle);
L2_(group);
L2_(amac);
L2_(coroutines);
