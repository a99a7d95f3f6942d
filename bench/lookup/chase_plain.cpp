// Pointer chasing, over a batch; compiled twice (plain.h).
#include "chase_look_up.h"

PLAIN(chase)(const Chase* __restrict table, const uint32_t* __restrict keys, uint32_t* __restrict results,
             int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
