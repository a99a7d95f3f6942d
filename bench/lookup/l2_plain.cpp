// Both addresses of a packet, one after the other, over a batch; compiled twice (plain.h).
#include "l2_look_up.h"

PLAIN(l2)(const L2* __restrict table, const L2Packet* __restrict keys, uint32_t* __restrict results, int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
