// A table on the heap of which each packet uses a row of its own: no analysis of pointers sees that. Declared, nothing that packets
// reach by memory has a window, but what `shared` names. The dependency checker believes none of it: where packets do meet in a row, it
// reports them.
// RUN: rm -rf %t && mkdir -p %t && %heddle_cc -O2 %packets %s -o %t/p && %heddle profile %t/p --
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=STRICT
// RUN: { echo '[[declared]]'; echo 'location = "all memory"'; echo 'why = "a row each"'; } > %t/heddle.toml
// RUN: %stage %t/p | FileCheck %s
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle verify --dependencies %t/p -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify --dependencies %t/p -- | not grep 'fell inside declared'
// RUN: not %heddle verify --dependencies %t/p -- meet | FileCheck %s --check-prefix=MEET
// RUN: echo 'shared = ["total"]' >> %t/heddle.toml
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=SHARED
#include "packets.h"

enum { COLUMNS = 4 };
static uint32_t *rows, total;

__attribute__((noinline)) static uint32_t touch(uint32_t row, struct rte_mbuf *p, uint32_t add) {
  uint32_t sum = 0;
  for (uint32_t k = 0; k < 1 + p->length % COLUMNS; k++) sum = mix(sum + (rows[row * COLUMNS + k] += add));
  return sum;
}

int main(int count, char **arguments) {
  struct rte_mbuf *packets[32];
  const uint32_t mask = count > 1 ? 3 : 1023;
  int n;
  (void)arguments;
  rows = calloc(1024 * COLUMNS, sizeof *rows);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      total ^= p->id;
      p->out[0] = work(p, touch(p->id & mask, p, p->length));
      p->out[1] = work(p, p->out[0]);
      p->out[2] = work(p, touch(p->id & mask, p, p->out[1]));
    }
  show_crossings();
  printf("%08x %08x %08x\n", digest(0), rows[3], total);
  return 0;
}
// STRICT: largest first
// STRICT: heap at {{.*}}all-memory.c
// CHECK: sites (
// CHECK: outputs: identical
// CHECK: crossings {{[1-9]}}
// FREE: heddle.toml:2: a row each
// ORDER: order: no dependence is reversed
// MEET: memory allocated at
// SHARED: commutative (1)
// SHARED-NEXT: total:
