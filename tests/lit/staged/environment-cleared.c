// A program that clears its environment, as servers do to show their state in their name, still has HEDDLE_BATCH.
// RUN: %heddle_cc -O1 %packets %s -o %t && %stage %t | FileCheck %s
// RUN: SHOW_CROSSINGS=1 HEDDLE_BATCH=1 %t.heddle 2>&1 | FileCheck %s --check-prefix=OFF
#include "packets.h"

int main(void) {
  struct rte_mbuf *packets[32];
  int n, shown = getenv("SHOW_CROSSINGS") != NULL;
  clearenv();
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      uint32_t x = work(packets[i], packets[i]->id);
      packets[i]->out[0] = work(packets[i], x);
    }
  printf("%08x\n", digest(0));
  if (shown) setenv("SHOW_CROSSINGS", "1", 1);
  show_crossings();
  return 0;
}
// CHECK: sites (
// CHECK: outputs: identical
// OFF: crossings 0
