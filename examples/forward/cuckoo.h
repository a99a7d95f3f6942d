// A hash table of numbers: each key is in one of two buckets of eight slots, and a bucket is a cache line (MemC3: Fan, Andersen and
// Kaminsky, NSDI 2013). A slot holds the key in its upper bits and the value in its lower ones; no key is 0.
#ifndef FORWARD_CUCKOO_H
#define FORWARD_CUCKOO_H

#include "random.h"

enum { CUCKOO_SLOTS = 8 };

struct cuckoo_bucket {
  uint64_t slots[CUCKOO_SLOTS]; // 0: nothing there
};

struct cuckoo {
  struct cuckoo_bucket* buckets;
  uint64_t mask; // how many buckets there are, less one
  unsigned value_bits;
};

static const uint64_t cuckoo_none = UINT64_MAX;

// For so many keys of 64 - value_bits bits. False: no memory.
bool cuckoo_create(struct cuckoo* t, uint64_t keys, unsigned value_bits);
void cuckoo_free(struct cuckoo* t);
// A key that is there gets the new value. False: the table is full.
bool cuckoo_insert(struct cuckoo* t, uint64_t key, uint64_t value);

static inline uint64_t cuckoo_first(const struct cuckoo* t, uint64_t key) {
  return mix(key) & t->mask;
}

static inline uint64_t cuckoo_second(const struct cuckoo* t, uint64_t key) {
  return mix(key) >> 32 & t->mask;
}

// The slots with the key, as bits.
static inline unsigned cuckoo_matches(const struct cuckoo* t, const struct cuckoo_bucket* bucket,
                                      uint64_t key) {
  unsigned matches = 0;
  for (unsigned i = 0; i < CUCKOO_SLOTS; i++)
    matches |= (unsigned)(bucket->slots[i] >> t->value_bits == key) << i;
  return matches;
}

// The key's value, or cuckoo_none.
static inline uint64_t cuckoo_look_up(const struct cuckoo* t, uint64_t key) {
  const struct cuckoo_bucket* bucket = &t->buckets[cuckoo_first(t, key)];
  unsigned matches = cuckoo_matches(t, bucket, key);
  if (matches == 0) {
    bucket = &t->buckets[cuckoo_second(t, key)];
    matches = cuckoo_matches(t, bucket, key);
    if (matches == 0) return cuckoo_none;
  }
  return bucket->slots[__builtin_ctz(matches)] & ((UINT64_C(1) << t->value_bits) - 1);
}

#endif
