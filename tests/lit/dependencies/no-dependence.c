// What looks like a dependence between packets and is none: a packet's own stack, memory that one packet released and
// the next one got, a string that the library copies on the stack, constants. And accesses in one stage.
// RUN: %heddle_cc -g -O2 %packets %s -o %t && %plan %t
// RUN: %heddle verify %t --dependencies | FileCheck %s
// CHECK: 499 crossed a site
// CHECK-NOT: fell inside
// CHECK: order: no dependence is reversed
#include "packets.h"

static uint32_t state;

__attribute__((noinline)) static uint32_t *make(struct rte_mbuf *p) {
  uint32_t *made = malloc(64);
  made[0] = p->length;
  return made;
}

__attribute__((noinline)) static void scramble(uint32_t *m, char *text) {
  m[1] = mix(m[0]);
  snprintf(text, 32, "%s %u", "packet", m[1]);
}

__attribute__((noinline)) static void use(struct rte_mbuf *p, const uint32_t *m, const char *text) {
  p->out[0] = mix(m[1]) + (uint32_t)strlen(text);
}

__attribute__((noinline)) static void keep(struct rte_mbuf *p) { state = mix(state + p->out[0]); }

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      char text[32];
      uint32_t *made = make(packets[i]);
      scramble(made, text);
      use(packets[i], made, text);
      free(made);
      keep(packets[i]);
    }
  printf("%08x %u\n", digest(0), state);
  return 0;
}
