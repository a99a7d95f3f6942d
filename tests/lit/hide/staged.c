// Cuts for the instruction cache's sake and hidden loads in one function: packets wait at cuts, in order, and at loads, in any.
// RUN: %heddle_cc -O2 %packets %s -o %t && %heddle profile %t --
// RUN: %heddle plan %t --policy finest --budget 1K --print | FileCheck %s
// RUN: %heddle build %t && %heddle verify %t --batches 0,1,2,7,32,64 -- | FileCheck %s --check-prefix=SAME
// RUN: %heddle verify %t --dependencies -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle plan %t --no-stage --print | FileCheck %s --check-prefix=FEWER
// CHECK: hidden {{.*}}staged.c:[[@LINE+21]]
// CHECK: interleaved in one function; packets overtake each other in stages 2;
// SAME: outputs: identical
// ORDER: order: no dependence is reversed
// FEWER: packets overtake each other in stages 1;
#include "packets.h"

static uint32_t table[1 << 12], first, second, third, fourth;

static uint32_t count(uint32_t *last, uint32_t x) { return *last = mix(*last ^ x); }

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  for (uint32_t i = 0; i < 1 << 12; i++) table[i] = mix(i);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t x = count(&first, p->id);
      x ^= count(&second, x);
      for (uint32_t step = 0; step < p->length % 11; step++) {
        HEDDLE_EXPENSIVE(&table[x & 4095]);
        x = table[x & 4095] + step;
      }
      x ^= count(&third, x);
      p->out[0] = x ^ count(&fourth, x);
    }
  printf("%08x %08x\n", digest(0), first ^ second ^ third ^ fourth);
  return 0;
}
