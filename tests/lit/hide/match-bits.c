// Buckets of eight slots, searched by a loop that becomes one comparison of vectors (program/match_bits.h); what is found is the same, for numbers
// of each width, with what is made of a slot before it is compared, and with slots that others write.
// RUN: %heddle_cc -O2 %packets %s -o %t && %hide %t | FileCheck %s
// RUN: %heddle verify %t --dependencies -- | FileCheck %s --check-prefix=ORDER
// CHECK: hidden {{.*}}match-bits.c
// CHECK: outputs: identical
// ORDER: order: no dependence is reversed
#include "packets.h"

static struct bucket {
  uint64_t wide[8];
  uint32_t keys[8];
  uint16_t tags[8];
  uint8_t small[8];
} table[1 << 10];

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  for (uint32_t i = 0; i < 8 << 10; i++) {
    struct bucket *b = &table[i / 8];
    b->wide[i % 8] = (uint64_t)(mix(i) % 50) << 20 | i;
    b->keys[i % 8] = mix(i) % 5;
    b->tags[i % 8] = (uint16_t)(mix(i + 1) % 7);
    b->small[i % 8] = (uint8_t)(mix(i + 2) % 3);
  }
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      const struct bucket *b = &table[mix(p->id) & 1023];
      HEDDLE_EXPENSIVE(b);
      uint32_t wide = 0, keys = 0, tags = 0, small = 0;
      for (int slot = 0; slot < 8; slot++)
        wide |= (uint32_t)(b->wide[slot] >> 20 == p->id % 50) << slot;
      for (int slot = 0; slot < 8; slot++)
        keys |= (uint32_t)(b->keys[slot] == p->flow % 5) << (slot + 3);
      for (int slot = 0; slot < 8; slot++)
        tags |= (uint32_t)(b->tags[slot] == p->length % 7) << slot;
      for (int slot = 0; slot < 8; slot++)
        small |= (uint32_t)(b->small[slot] != p->id % 3) << slot;
      p->out[0] = mix(wide) + mix(keys * 3) + mix(tags * 5) + mix(small * 7);
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
