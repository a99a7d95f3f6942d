// Pointer chasing as anybody writes it; compiled twice (plain.h).
#include "chase.h"
#include "plain.h"

static inline uint32_t look_up(const Chase* table, uint32_t key) {
  const uint32_t* next = table->next;
  uint32_t at = key;
  for (int hop = 0; hop < table->hops; hop++) {
    EXPENSIVE(&next[at]);
    at = next[at];
  }
  return at;
}

PLAIN(chase)(const Chase* __restrict table, const uint32_t* __restrict keys, uint32_t* __restrict results,
             int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
