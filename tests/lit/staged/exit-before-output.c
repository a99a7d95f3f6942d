// A packet that ends the program: packets before it must have written what they have to say. Its exit belongs to the
// window of the output, so that no cut lies between; on a rare path it runs after all packets before it.
// RUN: %heddle_cc -O2 %packets %s -o %t && %heddle profile %t -- >/dev/null
// RUN: %heddle plan %t --policy finest --without rare-path && %heddle build %t
// RUN: not %t > %t.expected
// RUN: env HEDDLE_BATCH=32 not %t.heddle > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %heddle plan %t --policy finest --rare 0.1 && %heddle build %t
// RUN: env HEDDLE_BATCH=32 not %t.heddle > %t.actual
// RUN: diff %t.expected %t.actual
#include "packets.h"
#include <unistd.h>

static unsigned finished;

static void at_end(void) {
  char text[64];
  write(1, text, snprintf(text, sizeof text, "%u finished\n", finished));
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  atexit(at_end);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      if (p->id == 475) exit(3);
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
      char text[32];
      write(1, text, snprintf(text, sizeof text, "%08x\n", p->out[1]));
      finished++;
    }
  return 0;
}
