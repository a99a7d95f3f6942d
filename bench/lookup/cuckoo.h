// A 2-8 cuckoo hash table: each key is in one of two buckets of eight, and a bucket is one cache line (G-Opt, section 3.3, in the
// words of MemC3: Fan, Andersen and Kaminsky, NSDI 2013). Keys and values are 32-bit numbers; no key is 0.
#pragma once

#include "anywhere.h"

#include <cstdint>

struct CuckooBucket {
  uint32_t keys[8], values[8];
};

struct Cuckoo {
  const CuckooBucket* buckets;
  uint64_t mask; // how many buckets there are, less one
};

ANYWHERE inline uint64_t cuckoo_hash(uint32_t key) {
  uint64_t hash = key * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  return hash * 0xd6e8feb86659fd93u;
}
// Where a key may be.
ANYWHERE inline uint64_t cuckoo_first(uint64_t hash, uint64_t mask) {
  return (hash >> 32) & mask;
}
ANYWHERE inline uint64_t cuckoo_second(uint64_t hash, uint64_t mask) {
  return (hash ^ (hash >> 29)) & mask;
}

// The slots with the key, as bits.
ANYWHERE inline unsigned cuckoo_matches(const CuckooBucket& bucket, uint32_t key) {
  unsigned matches = 0;
  for (unsigned slot = 0; slot < 8; slot++)
    matches |= unsigned(bucket.keys[slot] == key) << slot;
  return matches;
}

#define CUCKOO(variant)                                                                                      \
  extern "C" void cuckoo_##variant(const Cuckoo* table, const uint32_t* keys, uint32_t* results, int n)
CUCKOO(baseline);
CUCKOO(heddle);
CUCKOO(group);
CUCKOO(amac);
CUCKOO(coroutines);
