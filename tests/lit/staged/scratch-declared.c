// A buffer that is filled to a length of the packet's: not proven to be scratch, declared to be. The dependency checker watches
// every byte: a packet that reads one byte more than was written shows.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/scratch.toml %t/heddle.toml
// RUN: %heddle_cc -O2 %packets %s -o %t/p && %stage %t/p | FileCheck %s
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle verify --dependencies %t/p -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain --trust proven | FileCheck %s --check-prefix=PROVEN

// RUN: %heddle_cc -O2 -DONE_MORE=1 %packets %s -o %t/q && %heddle profile %t/q --
// RUN: %heddle plan %t/q --policy finest --budget 1K && not %heddle verify --dependencies %t/q -- | FileCheck %s --check-prefix=EXPOSED
#include "packets.h"
#ifndef ONE_MORE
#define ONE_MORE 0
#endif

static uint8_t buffer[2048];

__attribute__((noinline)) static void receive(struct rte_mbuf *p) {
  for (unsigned i = 0; i < p->length; i++) buffer[i] = mix(p->id + i);
}
__attribute__((noinline)) static uint32_t sum(unsigned length) {
  uint32_t x = 0;
  for (unsigned i = 0; i < length; i++) x = x * 31 + buffer[i];
  return x;
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      receive(p);
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, sum(p->length));
      p->out[2] = work(p, sum(p->length / 2 + ONE_MORE * p->length));
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: outputs: identical
// FREE: buffer: {{.*}}heddle.toml:2: only what was received is read
// ORDER: fell inside scratch:
// ORDER: order: no dependence is reversed
// PROVEN: scratch, but a packet may read what an earlier one left:
// EXPOSED: buffer (byte
