// Named data networking: a name of 32 bytes gives a port (G-Opt, section 4: hash-based, with cuckoo hashing, CityHash64, and up to ten
// million URLs). A bucket is one cache line of eight tags and eight numbers of entries; an entry is another.
#pragma once

#include "anywhere.h"

#include <cstdint>
#include <cstring>

struct alignas(8) NdnName {
  char text[32];
};
struct NdnBucket {
  uint32_t tags[8], entries[8]; // tag 0: nothing there
};
struct alignas(64) NdnEntry {
  NdnName name;
  uint32_t port;
};
struct Ndn {
  const NdnBucket* buckets;
  const NdnEntry* entries;
  uint64_t mask; // how many buckets there are, less one
};

ANYWHERE inline uint64_t ndn_word(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

ANYWHERE inline uint64_t ndn_rotate(uint64_t word, int by) {
  return word >> by | word << (64 - by);
}

// CityHash64 1.1 of 32 bytes (its HashLen17to32).
ANYWHERE inline uint64_t ndn_hash(const NdnName& name) {
  constexpr uint64_t k1 = 0xb492b66fbe98f273u, k2 = 0x9ae16a3b2f90404fu, factor = k2 + 2 * 32;
  const uint64_t a = ndn_word(name.text) * k1, b = ndn_word(name.text + 8),
                 c = ndn_word(name.text + 24) * factor, d = ndn_word(name.text + 16) * k2;
  const uint64_t u = ndn_rotate(a + b, 43) + ndn_rotate(c, 30) + d, v = a + ndn_rotate(b + k2, 18) + c;
  uint64_t x = (u ^ v) * factor;
  x ^= x >> 47;
  x = (v ^ x) * factor;
  x ^= x >> 47;
  return x * factor;
}

ANYWHERE inline uint32_t ndn_tag(uint64_t hash) {
  return uint32_t(hash >> 32) | 1;
}
ANYWHERE inline uint64_t ndn_first(uint64_t hash, uint64_t mask) {
  return hash & mask;
}
// Where else what has a tag may be: going there twice leads back.
ANYWHERE inline uint64_t ndn_other(uint64_t bucket, uint32_t tag, uint64_t mask) {
  return (bucket ^ (tag * 0x5bd1e995u)) & mask;
}

// The slots with the tag, as bits.
ANYWHERE inline unsigned ndn_matches(const NdnBucket& bucket, uint32_t tag) {
  unsigned matches = 0;
  for (unsigned slot = 0; slot < 8; slot++)
    matches |= unsigned(bucket.tags[slot] == tag) << slot;
  return matches;
}
ANYWHERE inline bool ndn_same(const NdnName& a, const NdnName& b) {
  uint64_t differ = 0;
  for (unsigned at = 0; at < sizeof a.text; at += 8)
    differ |= ndn_word(a.text + at) ^ ndn_word(b.text + at);
  return differ == 0;
}

constexpr uint32_t ndn_no_port = UINT32_MAX;

#define NDN(variant)                                                                                         \
  extern "C" void ndn_##variant(const Ndn* table, const NdnName* keys, uint32_t* results, int n)
NDN(baseline);
NDN(heddle);
NDN(group);
NDN(amac);
NDN(coroutines);
