// A receive interface with DPDK's name and shape that makes its packets up.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_mbuf {
  int id, length;
  struct rte_mbuf *next;
};

static int made;

static inline uint16_t rte_eth_rx_burst(uint16_t port, uint16_t queue, struct rte_mbuf **packets, uint16_t max) {
  uint16_t n = 0;
  for (; n < max && made < 500; n++, made++) {
    packets[n] = (struct rte_mbuf *)malloc(sizeof(struct rte_mbuf));
    packets[n]->id = made;
    packets[n]->length = 60 + made * 37 % 1400 + port + queue;
    packets[n]->next = n ? packets[n - 1] : NULL;
  }
  return n;
}

static inline void rte_pktmbuf_free(struct rte_mbuf *packet) { free(packet); }

#ifdef __cplusplus
}
#endif
