// What a packet keeps while it waits: values of several widths, a variable whose address is known, a floating-point number, what a
// function that is not inlined holds; two loads one after the other, one of them on some paths only; and a batch that ends early.
// RUN: %heddle_cc -O1 %packets %s -o %t && %hide %t | FileCheck %s
// RUN: %heddle_cc -O3 -march=native %packets %s -o %t.3 && %hide %t.3 | FileCheck %s
// CHECK: expensive loads (3)
// CHECK-NEXT: hidden
// CHECK-NEXT: hidden
// CHECK-NEXT: hidden
// CHECK: outputs: identical
#include "packets.h"

static uint32_t first[4096];
static struct entry { double weight; uint8_t tag; uint32_t next; } second[4096];

__attribute__((noinline)) static int find(uint32_t key, struct entry *found) {
  uint32_t at = mix(key) & 4095;
  HEDDLE_EXPENSIVE(&first[at]);
  at = first[at] & 4095;
  if (at & 1) return 0;
  HEDDLE_EXPENSIVE(&second[at]);
  *found = second[at];
  if (found->tag & 2) {
    HEDDLE_EXPENSIVE(&second[found->next]);
    found->weight += second[found->next].weight;
  }
  return 1 + (found->tag & 3);
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  for (uint32_t i = 0; i < 4096; i++) {
    first[i] = mix(i);
    second[i] = (struct entry){i * 0.25, (uint8_t)mix(i + 5), mix(i + 9) & 4095};
  }
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      struct entry entry = {p->length, 3, 0};
      uint8_t tag = (uint8_t)(p->flow * 3);
      double scale = p->id / 8.0;
      if (p->id == 431) goto done;
      int kind = find(p->id, &entry);
      p->out[0] = (uint32_t)kind + tag;
      p->out[1] = (uint32_t)(entry.weight * scale);
      p->out[2] = entry.next;
    }
done:
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
