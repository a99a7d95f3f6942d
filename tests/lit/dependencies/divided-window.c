// A plan that was edited so that a cut divides a window: `heddle build` refuses it, the checker takes it as it is and
// names both places.
// RUN: %heddle_cc -g -O2 %packets %s -o %t && %plan %t
// RUN: %heddle verify %t --dependencies | FileCheck %s --check-prefix=CLEAN
// CLEAN: 499 crossed a site
// CLEAN: order: no dependence is reversed
//
// RUN: %shift %t.heddle.d/plan.json 1 1 && not %heddle build %t
// RUN: not %heddle verify %t --dependencies --json %t.json > %t.out 2> %t.err
// RUN: FileCheck %s < %t.out && FileCheck %s --check-prefix=ERROR < %t.err && FileCheck %s --check-prefix=JSON < %t.json
// CHECK: order: the plan reverses 1 pair of places
// CHECK-NEXT: tie (byte 0 of 4): {{[0-9]+}} times, first in batch {{[0-9]+}}
// CHECK-NEXT: earlier packet {{[0-9]+}}, stage 2: reads at {{.*}}divided-window.c:[[@LINE+23]] in third
// CHECK-NEXT: later packet {{[0-9]+}}, stage 1: writes at {{.*}}divided-window.c:[[@LINE+20]] in first
// ERROR: error: {{.*}}the plan reverses the order of accesses that conflict, at 1 pairs of places
// ERROR-NEXT: hint: the plan was edited
// JSON: "violations": [
// JSON: "object": "tie
// JSON: "function": "third"
//
// The same packets, staged: there the accesses do change places.
// RUN: not %heddle verify %t --dependencies --staged 2>/dev/null | FileCheck %s --check-prefix=STAGED
// STAGED: tie (byte 0 of 4)
// STAGED-NEXT: earlier packet {{[0-9]+}}: reads at {{.*}} in third
// STAGED-NEXT: later packet {{[0-9]+}}: writes at {{.*}} in first
// RUN: %heddle plan %t --policy finest --budget 1K && %heddle verify %t --dependencies --staged | FileCheck %s --check-prefix=AS-PLANNED
// AS-PLANNED: {{[1-9][0-9]*}} packets
// AS-PLANNED: order: no dependence is reversed
#include "packets.h"

static uint32_t tie, total;

__attribute__((noinline)) static void parse(struct rte_mbuf *p) { p->out[0] = mix(p->length); }
__attribute__((noinline)) static void first(struct rte_mbuf *p) { tie = mix(tie ^ p->out[0]); }
__attribute__((noinline)) static void second(struct rte_mbuf *p) { p->out[1] = mix(p->out[0]); }
__attribute__((noinline)) static void third(struct rte_mbuf *p) { p->out[2] = tie; }
__attribute__((noinline)) static void count(struct rte_mbuf *p) { total += p->out[2]; }

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      parse(packets[i]);
      first(packets[i]);
      second(packets[i]);
      third(packets[i]);
      count(packets[i]);
    }
  printf("%08x %u\n", digest(0), total);
  return 0;
}
