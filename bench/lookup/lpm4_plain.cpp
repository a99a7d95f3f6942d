// IPv4 forwarding with DPDK's rte_lpm_lookup, as its users write it; compiled twice (plain.h).
#include "lpm4.h"
#include "plain.h"

static inline uint32_t look_up(const rte_lpm* table, uint32_t address) {
  uint32_t hop = 0;
  EXPENSIVE(&table->tbl24[address >> 8]);
  return rte_lpm_lookup(table, address, &hop) == 0 ? hop : lpm4_no_route;
}

PLAIN(lpm4)(const rte_lpm* __restrict table, const uint32_t* __restrict keys, uint32_t* __restrict results,
            int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
