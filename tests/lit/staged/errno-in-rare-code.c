// errno read in rare code, where no call of the packet's own has failed: what the packet before it left. (Found by the fuzzer:
// the gate restored what this packet had met.)
// RUN: %heddle_cc -O2 %packets %s -o %t && env STAGE_PLAN="--rare 0.1" %stage %t | FileCheck %s
#include "packets.h"

#include <errno.h>
#include <unistd.h>

static uint32_t reports, trail;

__attribute__((noinline)) static void report(struct rte_mbuf *p) { reports = mix(reports ^ p->id ^ (uint32_t)errno); }

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
      if (p->id & 1)
        close(-1);
      else if (chdir("") == 0)
        trail++;
      p->out[3] = work(p, p->out[2]);
      p->out[4] = work(p, p->out[3]);
      trail = mix(trail ^ p->out[4]);
    }
  show_crossings();
  printf("%08x %08x %08x\n", digest(0), reports, trail);
  return 0;
}
// CHECK: outputs: identical
