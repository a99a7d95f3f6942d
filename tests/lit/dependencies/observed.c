// Under --trust observed, what the sample did not show to be shared needs no window: first nothing at all, then what
// the checker saw when the packets ran in that order. A record of its own for each packet, which the analysis cannot
// tell from the others, stays free; a trail that all packets write does not.
// RUN: %heddle_cc -O2 -g %packets %s -o %t && %heddle profile %t --
// RUN: %heddle plan %t --policy finest --budget 1K --print | FileCheck %s --check-prefix=PROVEN
// PROVEN: sites (
// PROVEN-NOT: work (context 3)
//
// RUN: %heddle plan %t --policy finest --budget 1K --print --trust observed | FileCheck %s --check-prefix=NOTHING
// NOTHING: trust observed: FOR STUDY, NOT FOR PRODUCTION
// NOTHING: work (context 2)
// RUN: not %heddle verify %t --dependencies --json %t.json -- 2>&1 | FileCheck %s --check-prefix=SEEN
// SEEN: trail (byte
// SEEN-NOT: records
// SEEN: error: {{.*}}the plan reverses the order
//
// RUN: %heddle plan %t --policy finest --budget 1K --print --explain --trust observed --observed %t.json \
// RUN:   | FileCheck %s --check-prefix=OBSERVED
// OBSERVED: work (context 3)
// OBSERVED: 1. trail
// OBSERVED: packets of the sample met here
// RUN: %heddle verify %t --dependencies -- | FileCheck %s --check-prefix=NONE
// NONE: order: no dependence is reversed
// RUN: %heddle build %t 2>&1 | FileCheck %s --check-prefix=BUILT
// BUILT: build: {{.*}}FOR STUDY, NOT FOR PRODUCTION
// RUN: %heddle verify %t --batches 1,8,32 --
//
// RUN: not %heddle plan %t --observed %t.json 2>&1 | FileCheck %s --check-prefix=UNTRUSTED
// UNTRUSTED: error: --observed: without --trust observed, nothing is believed
// RUN: not %heddle plan %t --trust observed --observed %s 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: {{.*}}observed.c: not what heddle verify saw
#include "packets.h"

static struct record {
  volatile uint32_t a, b;
} records[PACKETS];
static uint32_t trail;

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      struct record *own = &records[p->id];
      own->a = work(p, p->id);
      trail = mix(trail ^ own->a);
      own->b = work(p, own->a);
      trail ^= own->b;
      p->out[0] = work(p, own->b + own->a);
      p->out[1] = work(p, p->out[0]);
      own->a = p->out[1];
    }
  printf("%08x %08x\n", digest(0), trail);
  return 0;
}
