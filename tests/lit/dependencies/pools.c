// A pool of DPDK's shape: its own state is an allocator's business, and an object that one packet gave back and another
// one got is new.
// RUN: %heddle_cc -g -O2 %packets %s -o %t && %plan %t
// RUN: %heddle verify %t --dependencies | FileCheck %s
// CHECK: {{[1-9][0-9]*}} crossed a site
// CHECK-NEXT: fell inside allocator:
// CHECK-NEXT: order: no dependence is reversed
//
// RUN: %python %S/../plan/Inputs/edit.py %t.heddle.d/plan.json without allocator
// RUN: not %heddle verify %t --dependencies 2>/dev/null | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: in rte_mempool_put
#include "packets.h"

// As in rte_mempool.h: the size of an object lies at byte 72.
struct rte_mempool { char before[72]; uint32_t elt_size; uint32_t free; void *objects[64]; };
static struct rte_mempool objects;

__attribute__((noinline)) static int rte_mempool_get(struct rte_mempool *pool, void **object) {
  if (pool->free == 0) return -1;
  *object = pool->objects[--pool->free];
  return 0;
}

__attribute__((noinline)) static void rte_mempool_put(struct rte_mempool *pool, void *object) {
  pool->objects[pool->free++] = object;
}

__attribute__((noinline)) static uint32_t work_on(struct rte_mbuf *p, uint32_t *scratch) {
  for (unsigned i = 0; i < 8; i++) scratch[i] = mix(p->length + i);
  return scratch[p->length % 8];
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  objects.elt_size = 64;
  for (; objects.free < 64; objects.free++) objects.objects[objects.free] = malloc(64);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      void *scratch;
      if (rte_mempool_get(&objects, &scratch) != 0) continue;
      p->out[0] = work_on(p, scratch);
      p->out[1] = work_on(p, scratch);
      rte_mempool_put(&objects, scratch);
    }
  printf("%08x\n", digest(0));
  return 0;
}
