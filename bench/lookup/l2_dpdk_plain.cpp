// Both addresses of a packet with DPDK's rte_hash_lookup_with_hash; compiled twice (plain.h).
#include "plain.h"

#include "l2_dpdk.h"

static inline uint16_t port_of(const rte_hash* table, const uint8_t* address) {
  return l2_dpdk_port(hash_lookup_with_hash(table, address, l2_dpdk_hash(address), nullptr));
}

static inline uint32_t look_up(const rte_hash* table, const L2Packet& packet) {
  const uint16_t from = port_of(table, packet.source);
  const uint16_t to = port_of(table, packet.destination);
  return l2_result(to, from);
}

PLAIN(l2_dpdk)(const rte_hash* __restrict table, const L2Packet* __restrict keys,
               uint32_t* __restrict results, int n) {
  for (int i = 0; i < n; i++)
    results[i] = look_up(table, keys[i]);
}
