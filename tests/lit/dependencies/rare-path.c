// A packet on a rare path runs alone, so that what it shares with the common path stays in order; without its gates
// it does not.
// RUN: %heddle_cc -g -O2 %packets %s -o %t && %plan %t --rare 0.1
// RUN: %heddle verify %t --dependencies | FileCheck %s
// CHECK: {{[1-9][0-9]*}} ran alone
// CHECK: order: no dependence is reversed
//
// RUN: %python -c "import json,sys; p=json.load(open(sys.argv[1])); p['bodies'][0]['gates']=[]; json.dump(p, open(sys.argv[1],'w'))" %t.heddle.d/plan.json
// RUN: not %heddle verify %t --dependencies 2>&1 | FileCheck %s --check-prefix=NO-GATES
// NO-GATES: 0 ran alone
// NO-GATES: mode (byte 0 of 4)
#include "packets.h"

static uint32_t mode, reports;

__attribute__((noinline)) static void report(struct rte_mbuf *p) {
  reports = mix(reports ^ p->out[0]);
  mode ^= p->length;
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
    }
  printf("%08x %08x\n", digest(0), reports);
  return 0;
}
