// Filling, up to nine tenths and more: the shortest chain of moves that frees a slot of one of a key's two buckets is looked for
// breadth first (MemC3, section 4.3), and made from its end.

#include "cuckoo.h"
#include "memory.h"
#include <stdlib.h>

enum { MOST_STEPS = 512 };

struct step {
  uint64_t bucket;
  int from; // the step before, and which of its slots comes here; below 0: none
  unsigned slot;
};

bool cuckoo_create(struct cuckoo* t, uint64_t keys, unsigned value_bits) {
  uint64_t buckets = 2;
  while (buckets * CUCKOO_SLOTS * 9 / 10 < keys)
    buckets *= 2;
  t->mask = buckets - 1;
  t->value_bits = value_bits;
  t->buckets = memory_create(buckets * sizeof *t->buckets);
  return t->buckets != NULL;
}

void cuckoo_free(struct cuckoo* t) {
  free(t->buckets);
}

static bool replace(struct cuckoo* t, uint64_t bucket, uint64_t key, uint64_t slot) {
  unsigned matches = cuckoo_matches(t, &t->buckets[bucket], key);
  if (matches) t->buckets[bucket].slots[__builtin_ctz(matches)] = slot;
  return matches != 0;
}

static int empty_slot(const struct cuckoo_bucket* bucket) {
  for (int i = 0; i < CUCKOO_SLOTS; i++)
    if (bucket->slots[i] == 0) return i;
  return -1;
}

static uint64_t other(const struct cuckoo* t, uint64_t bucket, unsigned slot) {
  uint64_t key = t->buckets[bucket].slots[slot] >> t->value_bits;
  uint64_t first = cuckoo_first(t, key);
  return first == bucket ? cuckoo_second(t, key) : first;
}

// Frees a slot of the chain's first bucket by moving each step's entry into the next one's.
static uint64_t* make_moves(struct cuckoo* t, const struct step* steps, const struct step* step,
                            unsigned slot) {
  uint64_t* to = &t->buckets[step->bucket].slots[slot];
  for (; step->from >= 0; step = &steps[step->from]) {
    uint64_t* from = &t->buckets[steps[step->from].bucket].slots[step->slot];
    *to = *from;
    to = from;
  }
  return to;
}

static uint64_t* free_slot(struct cuckoo* t, uint64_t key) {
  struct step steps[2 + MOST_STEPS * CUCKOO_SLOTS]; // not all set to zero for each key
  steps[0] = (struct step){cuckoo_first(t, key), -1, 0};
  steps[1] = (struct step){cuckoo_second(t, key), -1, 0};
  int count = 2;
  for (int at = 0; at < count && at < MOST_STEPS; at++) {
    const struct cuckoo_bucket* bucket = &t->buckets[steps[at].bucket];
    int slot = empty_slot(bucket);
    if (slot >= 0) return make_moves(t, steps, &steps[at], (unsigned)slot);
    for (unsigned i = 0; i < CUCKOO_SLOTS; i++)
      steps[count++] = (struct step){other(t, steps[at].bucket, i), at, i};
  }
  return NULL;
}

bool cuckoo_insert(struct cuckoo* t, uint64_t key, uint64_t value) {
  uint64_t slot = key << t->value_bits | value;
  if (replace(t, cuckoo_first(t, key), key, slot) || replace(t, cuckoo_second(t, key), key, slot))
    return true;
  uint64_t* to = free_slot(t, key);
  if (to) *to = slot;
  return to != NULL;
}
