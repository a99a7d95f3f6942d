// Both look-ups are calls of one function, which is not inlined before: the second one's address is made of what its caller passes.
// RUN: %heddle_cc -O2 %packets %s -o %t && %hide %t | FileCheck %s
// RUN: %heddle verify %t --dependencies -- | FileCheck %s --check-prefix=ORDER
// CHECK: expensive loads (2)
// CHECK-NEXT: hidden {{.*}}fetch-along-calls.c:[[@LINE+10]] {{.*}}: named in the source
// CHECK-NEXT: hidden {{.*}}fetch-along-calls.c:[[@LINE+9]] {{.*}}: fetched along with
// CHECK: outputs: identical
// ORDER: order: no dependence is reversed
#include "packets.h"

static uint32_t table[1 << 16];

__attribute__((noinline)) static uint32_t look_up(uint32_t key) {
  const uint32_t *at = &table[mix(key) & 0xffff];
  HEDDLE_EXPENSIVE(at);
  return *at * 3;
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  for (uint32_t i = 0; i < 1 << 16; i++) table[i] = mix(i);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t source = look_up(p->id);
      uint32_t destination = look_up(p->flow * 7 + p->length);
      for (uint32_t k = 0; k < 200; k++) source = mix(source ^ k);
      p->out[0] = source ^ destination;
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
