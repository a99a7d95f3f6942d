// An automaton over the bytes of a packet: every state is in the cache, and each has to wait for the one before. So a few packets run the loop
// side by side; they leave it at different times, by either way out, and what they print comes in packet order all the same.
// RUN: %heddle_cc -O2 %packets %s -o %t && %hide %t | FileCheck %s
// RUN: %heddle verify %t --dependencies -- | FileCheck %s --check-prefix=ORDER
// Edited by hand: more lanes than a batch has packets, and a number that is not one of lanes.
// RUN: sed 's/"lanes": [1-9][0-9]*/"lanes": 16/' %t.heddle.d/plan.json > %t.16.json
// RUN: %heddle build %t --plan %t.16.json -o %t.16
// RUN: %t > %t.out && %t.16 > %t.16.out && env HEDDLE_BATCH=7 %t.16 > %t.7.out && env HEDDLE_BATCH=64 %t.16 > %t.64.out
// RUN: cmp %t.out %t.16.out && cmp %t.out %t.7.out && cmp %t.out %t.64.out
// RUN: sed 's/"lanes": [1-9][0-9]*/"lanes": 1/' %t.heddle.d/plan.json > %t.1.json
// RUN: not %heddle build %t --plan %t.1.json -o %t.1 2>&1 | FileCheck %s --check-prefix=ONE
// CHECK: hidden {{.*}}lanes.c:[[@LINE+20]] {{.*}} packets run the loop around it side by side
// CHECK: interleaved in one function; packets overtake each other in stages 1
// CHECK: outputs: identical
// CHECK: crossings
// ORDER: order: no dependence is reversed
// ONE: lanes.c:{{.*}}the plan has 1 lanes
// ONE: 'lanes' is 0, or 2 to 16
#include "packets.h"

static uint16_t next_state[64][16];

int main(void) {
  struct rte_mbuf *packets[32];
  int n, failed = 0;
  for (uint32_t i = 0; i < 64 * 16; i++) next_state[i / 16][i % 16] = mix(i) % 64;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t state = p->id % 64, steps = 0;
      for (; steps < p->length % 1000; steps++) {
        state = next_state[state][(p->id + steps) % 16];
        if (state == 63 && steps > 700) break;
      }
      p->out[0] = state;
      failed += printf("%u: %u after %u\n", p->id, state, steps) < 0;
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return failed;
}
