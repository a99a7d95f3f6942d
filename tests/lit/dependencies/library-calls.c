// Dependences that run through the C library: memory that it copies, streams, state that it keeps to itself. Every cut
// is moved into a window by hand, and the call is named.
// RUN: %heddle_cc -g -O2 %packets %s -o %t && %plan %t
// RUN: %heddle verify %t --dependencies | FileCheck %s --check-prefix=CLEAN
// CLEAN: order: no dependence is reversed
// RUN: %shift %t.heddle.d/plan.json 1 1
// RUN: not %heddle verify %t --dependencies 2>/dev/null | FileCheck %s
// CHECK-DAG: a C stream
// CHECK-DAG: (puts)
// CHECK-DAG: (printf)
// CHECK-DAG: the system's state: random
// CHECK-DAG: shared_text
// CHECK-DAG: (strcpy)
// CHECK-DAG: (strlen)
#include "packets.h"

static char shared_text[64];

__attribute__((noinline)) static void parse(struct rte_mbuf *p) { p->out[0] = mix(p->length); }

__attribute__((noinline)) static void first(struct rte_mbuf *p) {
  p->out[1] = (uint32_t)rand();
  strcpy(shared_text, p->out[0] & 1 ? "odd" : "even and longer than any register of a vector unit");
  if (puts(p->out[0] & 2 ? "two" : "none") < 0) p->out[5] = 1;
}

__attribute__((noinline)) static void second(struct rte_mbuf *p) { p->out[2] = mix(p->out[0]); }

__attribute__((noinline)) static void third(struct rte_mbuf *p) {
  p->out[3] = (uint32_t)rand() + (uint32_t)strlen(shared_text);
  if (printf("%u\n", p->out[0]) < 0) p->out[6] = 1;
}

__attribute__((noinline)) static void last(struct rte_mbuf *p) { p->out[4] = mix(p->out[3]); }

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      parse(packets[i]);
      first(packets[i]);
      second(packets[i]);
      third(packets[i]);
      last(packets[i]);
    }
  printf("%08x\n", digest(0));
  return 0;
}
