// An automaton's walk over a payload as anybody writes it; compiled twice (plain.h). Most of its loads find their line in the first levels of
// cache, so none is named as expensive: what there is to gain, the profile has to find.
#include "ac.h"
#include "plain.h"

static inline uint32_t look_up(const Ac* table, const AcPayload& payload) {
  const uint32_t* rows = table->rows;
  uint32_t state = payload.start, matches = 0;
  for (uint32_t at = 0; at < payload.length; at++) {
    state = rows[(state & ~ac_ends_pattern) * uint64_t(256) + payload.bytes[at]];
    if (state & ac_ends_pattern) matches = ac_note(matches, state);
  }
  return matches;
}

PLAIN(ac)(const Ac* __restrict table, const AcPayload* __restrict keys, uint32_t* __restrict results, int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
