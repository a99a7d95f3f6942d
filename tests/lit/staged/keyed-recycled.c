// A packet has a record, finds another one, computes, and claims it only then. Meanwhile a later packet is given that record
// as a fresh one: it may fill it when the earlier one has ended.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/keyed-recycled.toml %t/heddle.toml
// RUN: %heddle_cc -O2 -g %packets %s -o %t/p && %stage %t/p | FileCheck %s
// RUN: %heddle verify --dependencies %t/p -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify --dependencies --staged %t/p -- | FileCheck %s --check-prefix=STAGED
#include "packets.h"

enum { FLOWS = 4 };
struct flow {
  uint32_t id;
  uint64_t state;
};
static struct flow table[FLOWS];
static uint32_t next_free;

__attribute__((noinline)) static struct flow* new_flow(void) {
  return &table[next_free++ % FLOWS];
}

__attribute__((noinline)) static struct flow* find_flow(struct rte_mbuf* p, uint32_t id) {
  for (unsigned i = 0; i < FLOWS; i++)
    if (table[i].id == id) {
      p->out[0] = work(p, id);
      return &table[i];
    }
  struct flow* flow = new_flow();
  flow->id = id;
  flow->state = id;
  return flow;
}

int main(void) {
  struct rte_mbuf* packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf* p = packets[i];
      struct flow* flow = find_flow(p, 1 + p->flow % 6);
      if (p->id & 1) flow = find_flow(p, 1 + p->length % 6);
      p->out[1] = work(p, p->id);
      flow->state = flow->state * 31 + p->out[1];
      p->out[2] = work(p, (uint32_t)flow->state);
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: packets with the same find_flow() keep their order from stage
// CHECK: outputs: identical
// ORDER: fell inside keyed:
// ORDER: order: no dependence is reversed
// STAGED: order: no dependence is reversed
