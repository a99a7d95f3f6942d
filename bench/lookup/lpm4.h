// IPv4 forwarding: DPDK's longest-prefix match, DIR-24-8 (G-Opt, section 4). The look-up is DPDK's own, from its header.
#pragma once

#include <rte_lpm.h>

#include <cstdint>

constexpr uint32_t lpm4_no_route = UINT32_MAX;

#define LPM4(variant)                                                                                        \
  extern "C" void lpm4_##variant(const rte_lpm* table, const uint32_t* keys, uint32_t* results, int n)
LPM4(baseline);
LPM4(heddle);
LPM4(group);
LPM4(amac);
LPM4(coroutines);
