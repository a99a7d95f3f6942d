// A key frees cuts, and no wait for a load: without stacks of their own, packets with one key could pass each other there. So a
// flow's record that is used on both sides of a hidden load holds them together, whether its key is declared or inferred.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %heddle_cc -O2 -g %packets %s -o %t/i && %heddle profile %t/i --
// RUN: %heddle plan %t/i --budget 1000000K --print | FileCheck %s
// RUN: %heddle build %t/i && %heddle verify %t/i --batches 0,1,2,7,32,64 -- | FileCheck %s --check-prefix=SAME
// RUN: %heddle plan %t/i --policy finest --budget 1K --print | FileCheck %s
// RUN: %heddle build %t/i && %heddle verify %t/i --batches 0,1,2,7,32,64 -- | FileCheck %s --check-prefix=SAME
// RUN: %heddle verify --dependencies --staged %t/i -- | FileCheck %s --check-prefix=ORDER
// RUN: cp %S/Inputs/keyed.toml %t/heddle.toml && %heddle_cc -O2 -g %packets %s -o %t/d && %heddle profile %t/d --
// RUN: %heddle plan %t/d --budget 1000000K --print | FileCheck %s
// RUN: %heddle build %t/d && %heddle verify %t/d --batches 0,1,2,7,32,64 -- | FileCheck %s --check-prefix=SAME
// RUN: %heddle verify --dependencies --staged %t/d -- | FileCheck %s --check-prefix=ORDER
#include "packets.h"

enum { FLOWS = 4 };
struct flow {
  uint64_t state, bytes;
};
static struct flow table[FLOWS];
static uint32_t numbers[4096];

__attribute__((noinline)) static struct flow* find_flow(uint32_t id) {
  return &table[id % FLOWS];
}

int main(void) {
  for (unsigned i = 0; i < 4096; i++)
    numbers[i] = mix(i);
  struct rte_mbuf* packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf* p = packets[i];
      const uint32_t* number = &numbers[mix(p->id) % 4096];
      HEDDLE_EXPENSIVE(number);
      uint32_t first = *number;
      struct flow* flow = find_flow(p->flow);
      flow->state = flow->state * 31 + first;
      number = &numbers[(first ^ p->length) % 4096];
      HEDDLE_EXPENSIVE(number);
      p->out[0] = *number;
      flow->state = flow->state * 33 ^ p->out[0];
      p->out[1] = (uint32_t)flow->state;
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: hidden {{.*}}keyed.c:
// CHECK: interleaved in one function
// SAME: outputs: identical
// ORDER: order: no dependence is reversed
