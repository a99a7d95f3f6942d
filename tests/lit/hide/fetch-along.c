// Two look-ups whose addresses do not depend on each other, and a third that most packets make: a packet steps aside for the first alone, where
// the others' lines are fetched, too. One that few packets make is waited for by those.
// RUN: %heddle_cc -O2 %packets %s -o %t && %hide %t | FileCheck %s
// RUN: %heddle verify %t --dependencies -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle plan %t --no-fetch-along --budget 1000000K --print 2>&1 | FileCheck %s --check-prefix=APART
// CHECK: expensive loads (4)
// CHECK-NEXT: hidden {{.*}}fetch-along.c:[[@LINE+24]] {{.*}}: named in the source
// CHECK-NEXT: hidden {{.*}}fetch-along.c:[[@LINE+27]] {{.*}}: fetched along with {{.*}}fetch-along.c:[[@LINE+23]]
// CHECK-NEXT: hidden {{.*}}fetch-along.c:[[@LINE+30]] {{.*}}: fetched along with {{.*}}fetch-along.c:[[@LINE+22]]
// CHECK-NEXT: hidden {{.*}}fetch-along.c:[[@LINE+34]] {{.*}}: named in the source
// CHECK: remark [load-not-along] {{.*}}fetch-along.c:[[@LINE+33]]: packets wait for this load by itself: {{.*}}: too few packets need it for all to fetch it
// CHECK: outputs: identical
// ORDER: order: no dependence is reversed
// APART-NOT: fetched along
#include "packets.h"

static uint32_t table[1 << 16], counted;

static uint32_t place(uint32_t key) {
  return mix(key) & 0xffff;
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  for (uint32_t i = 0; i < 1 << 16; i++) table[i] = mix(i);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      const uint32_t *source = &table[place(p->id)];
      HEDDLE_EXPENSIVE(source);
      uint32_t x = *source;
      counted += x & 1;
      const uint32_t *destination = &table[place(p->flow * 7 + p->length)];
      HEDDLE_EXPENSIVE(destination);
      x ^= *destination;
      if (x & 15) {
        const uint32_t *often = &table[place(p->length)];
        HEDDLE_EXPENSIVE(often);
        x += *often;
      }
      if ((x & 15) == 7) {
        const uint32_t *seldom = &table[place(p->flow)];
        HEDDLE_EXPENSIVE(seldom);
        x += *seldom;
      }
      p->out[0] = x;
    }
  show_crossings();
  printf("%08x %u\n", digest(0), counted);
  return 0;
}
