// setjmp in a function that the body calls, longjmp from below it: kept whole. A longjmp out of the loop, from the body
// or from below it, abandons what is in flight: no later packet has begun then, and those before it end first.
// RUN: %heddle_cc -O2 %packets %s -o %t && %stage %t | FileCheck %s
// RUN: %heddle_cc -O2 %packets -DOUTSIDE %s -o %t.outside && %stage %t.outside | FileCheck %s --check-prefix=OUTSIDE
// RUN: %heddle_cc -O2 %packets -DBELOW %s -o %t.below && %stage %t.below | FileCheck %s --check-prefix=OUTSIDE
#include "packets.h"

#include <setjmp.h>

static jmp_buf outside;
static unsigned jumped;

__attribute__((noinline)) static void deep(struct rte_mbuf *p, jmp_buf *back) {
  if (p->id % 7 == 3) longjmp(*back, 1 + (int)p->id);
}

__attribute__((noinline)) static uint32_t attempt(struct rte_mbuf *p, uint32_t x) {
  jmp_buf back;
  volatile uint32_t kept = x;
  int got = setjmp(back);
  if (got == 0) {
    kept = kept + 1;
    deep(p, &back);
  } else {
    jumped++;
  }
  return mix(kept + got);
}

__attribute__((noinline, unused)) static void give_up(struct rte_mbuf *p) {
  p->out[2] = work(p, 1);
  if (p->id % 50 == 33) longjmp(outside, 5);
}

static void run(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
#ifdef OUTSIDE
      if (p->id == 333) longjmp(outside, 5);
#elif defined(BELOW)
      give_up(p);
#endif
      uint32_t x = work(p, p->id);
      x = attempt(p, x);
      p->out[0] = work(p, x);
    }
}

int main(void) {
  volatile int value = setjmp(outside);
  run();
  printf("%d: %u jumped, %08x\n", value, jumped, digest(0));
  show_crossings();
  return 0;
}
// CHECK: sites (
// CHECK-NOT: {{ deep +\(}}
// CHECK: {{ work +\(context}}
// CHECK: remark
// CHECK: outputs: identical
// CHECK: exit status 0
// OUTSIDE: sites (
// OUTSIDE: {{ work +\(context}}
// OUTSIDE: outputs: identical
// OUTSIDE: exit status 0
