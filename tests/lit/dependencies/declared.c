// What the user declared lets pairs through under its name: a group that commutes, a variable. Without trust in
// it, the same plan is wrong.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/declared.toml %t/heddle.toml
// RUN: %heddle_cc -g -O2 %packets %s -o %t/p && %plan %t/p
// RUN: %heddle verify %t/p --dependencies | FileCheck %s
// CHECK-DAG: fell inside commuting:
// CHECK-DAG: fell inside declared:
// CHECK: order: no dependence is reversed
//
// RUN: sed -i 's/"trust": "declared"/"trust": "proven"/' %t/p.heddle.d/plan.json
// RUN: not %heddle verify %t/p --dependencies 2>/dev/null | FileCheck %s --check-prefix=PROVEN
// PROVEN-NOT: fell inside commuting
// PROVEN-NOT: fell inside declared
// PROVEN-DAG: memory allocated at {{.*}} in add_timer
// PROVEN-DAG: newest (byte 0 of 4)
#include "packets.h"

struct timer { struct timer *next; uint32_t when; };
static struct timer *timers;
static uint32_t newest;

static void add_timer(uint32_t when) {
  struct timer *timer = malloc(sizeof *timer), **at = &timers;
  timer->when = when;
  while (*at && (*at)->when < when) at = &(*at)->next;
  timer->next = *at;
  *at = timer;
}

__attribute__((noinline)) static void mark(uint32_t x) { newest = mix(newest ^ x); }

int main(void) {
  struct rte_mbuf *packets[32];
  uint32_t sum = 0;
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      add_timer(p->length);
      mark(p->length);
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
      mark(p->out[1]);
      add_timer(p->out[1] % 1000);
    }
  for (struct timer *timer = timers; timer; timer = timer->next) sum = mix(sum ^ timer->when);
  printf("%08x %08x\n", digest(0), sum);
  return 0;
}
