// A rare path that touches what the common path touches, all over the body: packets that take it run alone, and the
// common path is cut all the same. Without the relaxation the state that both touch holds the body together.
// RUN: %heddle_cc -O2 %packets %s -o %t && env STAGE_PLAN="--rare 0.1" %stage %t | FileCheck %s
// RUN: %heddle plan %t --policy finest --budget 1K --print --without rare-path | FileCheck %s --check-prefix=STRICT
// So little code is worth no cut, and so no packet has to run alone:
// RUN: %heddle plan %t --rare auto --print -o %t.plan.json | FileCheck %s --check-prefix=AUTO && FileCheck %s --check-prefix=NONE < %t.plan.json
// RUN: not %heddle plan %t --rare 2 2>&1 | FileCheck %s --check-prefix=SHARE
#include "packets.h"

static uint32_t mode, reports, trail;

__attribute__((noinline)) static void report(struct rte_mbuf *p) {
  reports = mix(reports ^ p->out[0]);
  mode ^= p->length;
  printf("report %u mode %08x trail %08x\n", p->id, mode, trail);
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
      if (p->length % 89 == 7) report(p);
      p->out[2] = work(p, p->out[1]);
      p->out[3] = work(p, p->out[2] ^ mode);
      trail = mix(trail ^ p->out[3]);
    }
  show_crossings();
  printf("%08x %08x %08x\n", digest(0), reports, trail);
  return 0;
}
// CHECK: work (context 3)
// CHECK: outputs: identical
// CHECK: alone {{[1-9]}}
// STRICT: work (context 2)
// STRICT-NOT: work (context 3)
// AUTO: not staged
// NONE: "rare_share": 0,
// SHARE: --rare: {{.*}}Value 2 not in range
