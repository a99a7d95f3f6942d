// IPv6 forwarding with lpm6_look_up, written out so that its loads can be annotated; compiled twice (plain.h).
#include "plain.h"
#include "trie6.h"

static inline uint32_t look_up(const lpm6* table, const Lpm6Address& address) {
  const uint32_t* first = lpm6_first(table, address.bytes);
  EXPENSIVE(first);
  uint32_t entry = *first;
  unsigned at = LPM6_FIRST_BYTES;
  while (entry >= LPM6_IS_NODE) {
    const void* place = lpm6_place(table, entry, address.bytes, &at);
    EXPENSIVE(place);
    entry = lpm6_next(place, entry, address.bytes, &at);
  }
  return entry - 1;
}

PLAIN(trie6)(const lpm6* __restrict table, const Lpm6Address* __restrict keys, uint32_t* __restrict results,
             int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
