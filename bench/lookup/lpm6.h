// IPv6 forwarding: DPDK's longest-prefix match, a trie of 24 bits and then 8 at a time (G-Opt, section 3.3). The look-up is DPDK's
// own, from its source (fetch-dpdk); the file that includes this one has defined EXPENSIVE.
#pragma once

#include "prefixes6.h"

#include <rte_lpm6_lookup.h>

constexpr uint32_t lpm6_no_route = UINT32_MAX;

#define LPM6(variant)                                                                                        \
  extern "C" void lpm6_##variant(const rte_lpm6* table, const Lpm6Address* keys, uint32_t* results, int n)
LPM6(baseline);
LPM6(heddle);
LPM6(group);
LPM6(amac);
LPM6(coroutines);
