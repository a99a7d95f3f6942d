// A signal handler ends the program in the middle of a packet: what the packets before it have to say is said first.
// RUN: %heddle_cc -O2 %packets %s -o %t && %stage %t | FileCheck %s
#include "packets.h"

#include <signal.h>

static uint32_t trail;

static void on_term(int number) {
  printf("ended by %d\n", number);
  exit(7);
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  signal(SIGTERM, on_term);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
      if (p->id == 470) show_crossings(), raise(SIGTERM);
      p->out[2] = work(p, p->out[1]);
      p->out[3] = work(p, p->out[2]);
      trail = mix(trail ^ p->out[3]);
      printf("%u %08x\n", p->id, trail);
    }
  return 0;
}
// CHECK: sites (
// CHECK: outputs: identical
// CHECK: exit status 7
