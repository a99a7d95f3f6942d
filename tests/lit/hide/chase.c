// A look-up that leads to the next one, in a loop that packets leave at different times: packets wait in it in turn, and what they
// print comes in packet order all the same.
// RUN: %heddle_cc -O2 %packets %s -o %t && %hide %t | FileCheck %s
// RUN: %heddle verify %t --dependencies -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle plan %t --no-hide --budget 1000000K 2>&1 | FileCheck %s --check-prefix=NOT
// CHECK: hidden {{.*}}chase.c:[[@LINE+19]]
// CHECK: interleaved in one function; packets overtake each other in stages 1
// CHECK: outputs: identical
// CHECK: crossings
// ORDER: order: no dependence is reversed
// NOT: no cut is legal and worth it
#include "packets.h"

static uint32_t table[1 << 16];

int main(void) {
  struct rte_mbuf *packets[32];
  int n, failed = 0;
  for (uint32_t i = 0; i < 1 << 16; i++) table[i] = mix(i);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t x = p->id, steps = 0;
      for (; steps < p->length % 37; steps++) {
        HEDDLE_EXPENSIVE(&table[x & 0xffff]);
        x = table[x & 0xffff] + steps;
        if (x % 29 == 3) break;
      }
      p->out[0] = x;
      failed += printf("%u: %08x after %u\n", p->id, x, steps) < 0;
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return failed;
}
