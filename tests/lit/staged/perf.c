// perf sees through private stacks: call chains by frame pointers lead from a packet's function to main, those by DWARF
// to the end of the private stack (perf keeps a copy of one stack with each sample, and no more).
// REQUIRES: perf
// RUN: %heddle_cc -O1 -g -fno-omit-frame-pointer %packets %s -o %t && %stage %t | FileCheck %s
// RUN: %S/Inputs/chains.sh %t.heddle %t.fp fp | FileCheck %s --check-prefix=CHAIN
// RUN: %S/Inputs/chains.sh %t.heddle %t.dwarf dwarf | FileCheck %s --check-prefix=CHAIN
#include "packets.h"

// Called in a loop, so no site stands there and it stays a function.
__attribute__((noinline)) static uint32_t late(uint32_t x) {
  for (unsigned i = 0; i < 400; i++) x = mix(x + i);
  return x;
}

__attribute__((noinline)) static uint32_t early(struct rte_mbuf *p, uint32_t x) {
  uint32_t y = mix(x + p->length);
  if (p->length % 5 == 0) y ^= mix(x);
  return x + y;
}

__attribute__((noinline)) static void run_packets(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      uint32_t x = early(packets[i], packets[i]->id);
      for (unsigned k = 0; k < 100; k++) x = late(x + packets[i]->length);
      packets[i]->out[0] = x;
      packets[i]->out[1] = x;
    }
}

int main(void) {
  run_packets();
  printf("%08x\n", digest(0));
  show_crossings();
  return 0;
}
// CHECK: sites (
// CHECK: outputs: identical
// CHAIN: {{^(fp|dwarf): .*: good$|^SKIP: }}
