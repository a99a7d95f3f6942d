// A layer-2 switch again (l2.h), with DPDK's hash table, as Kumar et al. have it (APSys 2017, section 3.1). The look-up is DPDK's own,
// from its source (fetch-dpdk); the file that includes this one has defined EXPENSIVE. A bucket has 16-bit signatures and numbers of
// entries; an entry has the key.
#pragma once

#include "l2.h"

#include <rte_hash_crc.h>
#include <rte_hash_lookup.h>

constexpr uint16_t l2_dpdk_flood = 0xffff;

inline uint32_t l2_dpdk_hash(const uint8_t* address) {
  return rte_hash_crc(address, 6, 0);
}
// A port, of where the address is in the table; negative: nowhere.
inline uint16_t l2_dpdk_port(int position) {
  return position < 0 ? l2_dpdk_flood : uint16_t(position % 48);
}

#define L2_DPDK(variant)                                                                                     \
  extern "C" void l2_dpdk_##variant(const rte_hash* table, const L2Packet* keys, uint32_t* results, int n)
L2_DPDK(baseline);
L2_DPDK(heddle);
L2_DPDK(group);
L2_DPDK(amac);
L2_DPDK(coroutines);
