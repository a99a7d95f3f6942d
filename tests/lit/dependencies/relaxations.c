// Pairs that a relaxation lets through are counted under its name; only if the plan uses it.
// RUN: %heddle_cc -g -O2 %packets %s -o %t && %plan %t
// RUN: %heddle verify %t --dependencies | FileCheck %s
// CHECK: fell inside commutative: {{[0-9]+}} pairs of places, {{[0-9]+}} times
// CHECK-NEXT: order: no dependence is reversed
//
// RUN: %python %S/../plan/Inputs/edit.py %t.heddle.d/plan.json without commutative
// RUN: not %heddle verify %t --dependencies 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: order: the plan reverses
// WITHOUT: packets_seen (byte 0 of 4)
// WITHOUT: earlier packet {{[0-9]+}}, stage {{[0-9]+}}: {{reads|writes}} at {{.*}}relaxations.c:[[@LINE+6]] in second
// WITHOUT: later packet {{[0-9]+}}, stage {{[0-9]+}}: {{reads|writes}} at {{.*}}relaxations.c:[[@LINE+4]] in first
#include "packets.h"

static uint32_t packets_seen;
__attribute__((noinline)) static void first(struct rte_mbuf *p) { packets_seen += p->length; p->out[0] = mix(p->length); }
__attribute__((noinline)) static void second(struct rte_mbuf *p) { packets_seen++; p->out[1] = mix(p->out[0]); }

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      first(packets[i]);
      second(packets[i]);
    }
  printf("%08x %u\n", digest(0), packets_seen);
  return 0;
}
