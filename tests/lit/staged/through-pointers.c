// An event loop: the packet is one call through a pointer, and passes its phases, pointers too, in a loop. Both are
// opened, so the phases can be cut; handlers that the sample never reached stay behind a gate, and still work.
// RUN: %heddle_cc -O2 %packets %s -o %t && env STAGE_PLAN="--rare 0.1" %stage %t | FileCheck %s
// RUN: %t > %t.plain 3 && %t.heddle 3 > %t.staged && cmp %t.plain %t.staged
// RUN: %heddle plan %t --policy finest --budget 1K --print --without rare-path | FileCheck %s --check-prefix=CLOSED
#include "packets.h"

typedef int (*phase)(struct rte_mbuf *p);
typedef void (*handler)(struct rte_mbuf *p);

static uint32_t odd_packets, surprises;
static unsigned surprising;

static int parse(struct rte_mbuf *p) {
  p->out[0] = work(p, p->id);
  return 0;
}
static int look_up(struct rte_mbuf *p) {
  p->out[1] = work(p, p->out[0]);
  return p->id % 7 == 0;
}
static int rewrite(struct rte_mbuf *p) {
  p->out[2] = work(p, p->out[1]);
  return 0;
}
static int count(struct rte_mbuf *p) {
  odd_packets = mix(odd_packets + p->id);
  return 1;
}
static int surprise(struct rte_mbuf *p) {
  printf("surprise %u: %u odd, %u before\n", p->id, odd_packets, surprises++);
  return 0;
}

static phase phases[] = {parse, look_up, surprise, rewrite, count, NULL};

static void run_phases(struct rte_mbuf *p) {
  for (phase *next = phases; *next; next++) {
    if (*next == surprise && (!surprising || p->id % surprising)) continue;
    if ((*next)(p)) return;
  }
}
static void drop(struct rte_mbuf *p) {
  p->out[3] = mix(p->id);
}
static void panic(struct rte_mbuf *p) {
  printf("panic %u: %u odd\n", p->id, odd_packets);
  p->out[4] = odd_packets;
}

static handler handlers[] = {run_phases, drop, panic};

int main(int arguments, char **argument) {
  struct rte_mbuf *packets[32];
  int n;
  surprising = arguments > 1 ? atoi(argument[1]) : 0;
  for (int a = 2; a < arguments; a++) phases[a] = NULL, handlers[a] = drop; // nobody does
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      handlers[p->length % 8 == 1 ? 1 : surprising && p->id % 50 == 49 ? 2 : 0](p);
    }
  show_crossings();
  printf("%08x %08x %u\n", digest(0), odd_packets, surprises);
  return 0;
}
// CHECK: opened loop {{.*}}run_phases: 5 iterations
// CHECK-DAG: opened call {{.*}}parse
// CHECK-DAG: opened call {{.*}}run_phases, drop
// CHECK: sites (
// CHECK: run_phases (context
// CHECK: outputs: identical
// CLOSED-NOT: {{opened (call|loop)  }}
// CLOSED: sites (
// CLOSED-NOT: (context
