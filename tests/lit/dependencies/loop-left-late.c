// A packet that leaves the loop in a later stage than the first: by then, later packets have begun that the original
// never starts. The checker, which never sees these, reports the way out.
// RUN: %heddle_cc -g -O2 %packets %s -o %t && %plan %t
// RUN: %heddle verify %t --dependencies | FileCheck %s --check-prefix=CLEAN
// CLEAN: order: no dependence is reversed
// RUN: %shift %t.heddle.d/plan.json 0 -1
// RUN: not %heddle verify %t --dependencies 2>/dev/null | FileCheck %s
// CHECK: the packet loop's control
// CHECK-NEXT: earlier packet {{[0-9]+}}, stage 1: writes in the packet loop
#include "packets.h"

__attribute__((noinline)) static uint32_t first(struct rte_mbuf *p) { return mix(p->length); }
__attribute__((noinline)) static void second(struct rte_mbuf *p) { p->out[1] = mix(p->length); }
__attribute__((noinline)) static void third(struct rte_mbuf *p) { p->out[2] = mix(p->out[1]); }

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      uint32_t x = first(packets[i]);
      if (x % 8 == 3) break;
      second(packets[i]);
      third(packets[i]);
    }
  printf("%08x\n", digest(0));
  return 0;
}
