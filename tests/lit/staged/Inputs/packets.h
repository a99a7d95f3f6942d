// A receive interface with DPDK's name and shape that makes its packets up, and a count of crossings that only the
// optimized program has.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"
// Only the optimized program has it.
#pragma weak heddle_get_counters

#ifdef __cplusplus
extern "C" {
#endif

// At the end of a thread: says on standard error, when asked for, whether its packets were suspended at sites.
static inline void show_crossings(void) {
  struct heddle_counters counters;
  if (!getenv("SHOW_CROSSINGS")) return;
  if (!heddle_get_counters) return;
  heddle_get_counters(&counters);
  fprintf(stderr, "crossings %llu\nalone %llu\n", (unsigned long long)counters.crossings,
          (unsigned long long)counters.alone);
}

struct rte_mbuf {
  uint32_t id, flow, length;
  uint32_t out[8];
};

enum { PACKETS = 500 };
static struct rte_mbuf pool[4][PACKETS];

// Queue number `queue` gives PACKETS packets in bursts of changing size; the caller keeps the position.
static inline uint16_t rte_eth_rx_burst(uint16_t port, uint16_t queue, struct rte_mbuf **packets, uint16_t max) {
  static __thread unsigned given;
  uint16_t n = 0, want = 1 + (given * 7 + port) % max;
  for (; n < want && given < PACKETS; n++, given++) {
    struct rte_mbuf *packet = &pool[queue][given];
    packet->id = given;
    packet->flow = given * 2654435761u >> 28;
    packet->length = 60 + given * 37 % 1400;
    packets[n] = packet;
  }
  return n;
}

// Work of a size that makes a stage.
static inline uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

#ifndef __cplusplus // there it matters what may throw
// Branches and a loop, so that there is something to cut around and something that cannot be cut.
__attribute__((noinline, unused)) static uint32_t work(struct rte_mbuf *p, uint32_t x) {
  uint32_t y = mix(x + p->length);
  for (unsigned i = 0; i < p->length % 5; i++) y ^= mix(x + i);
  return x + y;
}
#endif

static inline uint32_t digest(uint16_t queue) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < PACKETS; i++)
    for (unsigned k = 0; k < 8; k++) sum = mix(sum ^ pool[queue][i].out[k]);
  return sum;
}

#ifdef __cplusplus
}
#endif
