// A record per flow, found by a look-up and used all along the packet's way, and nothing declared: packets reach the record through
// what the look-up returns alone, so its address is the key.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %heddle_cc -O2 -g %packets %s -o %t/p && %stage %t/p | FileCheck %s
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle build %t/p && %heddle verify --dependencies %t/p -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify --dependencies --staged %t/p -- | FileCheck %s --check-prefix=STAGED
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain --without keyed | FileCheck %s --check-prefix=WITHOUT
//
// A total over all records, and a packet that looks at its record's neighbour: other ways to what the key should cover.
// RUN: %heddle_cc -O2 -g -DTOTAL %packets %s -o %t/q && %heddle profile %t/q --
// RUN: %heddle plan %t/q --policy finest --budget 1K --explain | FileCheck %s --check-prefix=OTHER
// RUN: %heddle_cc -O2 -g -DNEIGHBOUR %packets %s -o %t/n && %stage %t/n | FileCheck %s --check-prefix=NEIGHBOUR
#include "packets.h"

enum { FLOWS = 8 };
struct flow {
  uint32_t id;
  uint32_t seen;
  uint64_t state;
  uint64_t bytes;
};
static struct flow table[FLOWS];
static uint32_t next_free;

__attribute__((noinline)) static struct flow* find_flow(uint32_t id) {
  for (unsigned i = 0; i < FLOWS; i++)
    if (table[i].id == id) return &table[i];
  struct flow* flow = &table[next_free++ % FLOWS];
  flow->id = id;
  flow->seen = 0;
  flow->state = id;
  flow->bytes = 0;
  return flow;
}

__attribute__((noinline)) static uint32_t see(struct rte_mbuf* p, struct flow* flow) {
  flow->seen++;
  return work(p, flow->seen);
}

int main(void) {
  struct rte_mbuf* packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf* p = packets[i];
      struct flow* flow = find_flow(1 + p->flow % 6 + (p->id % 50 == 0) * p->id);
      p->out[0] = work(p, p->id);
      flow->state = flow->state * 31 + p->out[0];
      p->out[1] = work(p, (uint32_t)flow->state);
      p->out[2] = see(p, flow);
#ifdef NEIGHBOUR
      flow = &table[(flow - table + 1) % FLOWS];
#endif
      flow->state ^= p->out[2];
      p->out[3] = work(p, (uint32_t)flow->state);
      flow->bytes += p->out[3];
      p->out[4] = work(p, (uint32_t)flow->bytes);
#ifdef TOTAL
      for (int f = 0; f < FLOWS; f++)
        p->out[5] += (uint32_t)table[f].state;
#endif
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: key 1 {{.*}} find_flow, filled at once
// CHECK: packets with the same pointer (
// CHECK: outputs: identical
// FREE: keyed (3)
// FREE-DAG: table[*].state: packets reach it through the pointer that {{.*}}keyed-inferred.c:{{[0-9]+}} makes, and 1 more, and in no other way
// FREE-DAG: table[*].seen: packets reach it
// FREE-DAG: table[*].bytes: packets reach it
// ORDER: fell inside keyed:
// ORDER: order: no dependence is reversed
// STAGED: order: no dependence is reversed
// WITHOUT-NOT: keyed (
// OTHER: table
// OTHER: [*].state
// OTHER-NOT: keyed (
// NEIGHBOUR: outputs: identical
