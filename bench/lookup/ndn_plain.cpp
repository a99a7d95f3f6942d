// A name's look-up, over a batch; compiled twice (plain.h).
#include "ndn_look_up.h"

PLAIN(ndn)(const Ndn* __restrict table, const NdnName* __restrict keys, uint32_t* __restrict results, int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
