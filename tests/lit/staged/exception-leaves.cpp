// An exception that leaves the body ends the packet loop: packets before it have finished, none after it has begun, and
// the handler outside sees what it sees without staging. Sites stand behind the last place that may throw.
// RUN: %heddle_cxx -O2 %packets %s -o %t && %stage %t | FileCheck %s
#include "packets.h"

static unsigned finished, begun, left;

struct Stop {
  uint32_t id;
};

struct Guard {
  ~Guard() { ++left; }
};

__attribute__((noinline)) static void check(rte_mbuf *p) {
  ++begun;
  if (p->id % 50 == 41) throw Stop{p->id};
}

__attribute__((noinline)) static uint32_t work(rte_mbuf *p, uint32_t x) noexcept {
  uint32_t y = mix(x + p->length);
  if (p->length % 5 == 0) y ^= mix(x);
  return x + y;
}

__attribute__((noinline)) static int run() {
  rte_mbuf *packets[32];
  while (int n = rte_eth_rx_burst(0, 0, packets, 32))
    for (int i = 0; i < n; i++) {
      rte_mbuf *p = packets[i];
      Guard guard;
      check(p);
      p->out[0] = work(p, p->id);
      ++finished;
    }
  return 0;
}

int main() {
  for (int more = 1; more;) {
    try {
      more = run();
    } catch (const Stop &stop) {
      printf("stopped at %u: %u finished, sum %08x\n", stop.id, finished, digest(0));
    }
  }
  printf("%u begun, %u finished, %u left\n", begun, finished, left);
  show_crossings();
}
// CHECK: sites (
// CHECK: {{ work +\(context}}
// CHECK: outputs: identical
// CHECK: exit status 0
