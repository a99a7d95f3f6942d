// Few packets of the sample run the loop, which touches only what the code beside it touches: it is no rare code, so nobody
// becomes alone. (Found with nginx, whose packets ran alone where the time of a file had a zero that those of the sample had not.)
// RUN: %heddle_cc -O2 %packets %s -o %t && env STAGE_PLAN="--rare 0.1" %stage %t | FileCheck %s
#include "packets.h"

static uint32_t trail;

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
      for (uint32_t left = p->length % 89 == 7 ? p->id : 0; left > 0; left /= 2)
        p->out[1] = p->out[1] * 31 + left;
      p->out[2] = work(p, p->out[1]);
      p->out[3] = work(p, p->out[2]);
      trail = mix(trail ^ p->out[3]);
    }
  show_crossings();
  printf("%08x %08x\n", digest(0), trail);
  return 0;
}
// CHECK: outputs: identical
// CHECK: alone 0
