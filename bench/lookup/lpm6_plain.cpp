// IPv6 forwarding with DPDK's rte_lpm6_lookup, as its users write it; compiled twice (plain.h).
#include "plain.h"

#include "lpm6.h"

static inline uint32_t look_up(const rte_lpm6* table, const Lpm6Address& address) {
  uint32_t hop = 0;
  return lpm6_lookup(table, address.bytes, &hop) == 0 ? hop : lpm6_no_route;
}

PLAIN(lpm6)(const rte_lpm6* __restrict table, const Lpm6Address* __restrict keys,
            uint32_t* __restrict results, int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
