// exit() in a body, and in a function that it calls, while packets before it are suspended: these end first, as they
// have in the original, and handlers and buffers see what they did. From a thread's body too.
// RUN: %heddle_cc -O2 %packets -pthread %s -o %t && %stage %t | FileCheck %s --check-prefixes=CHECK,EARLY
// RUN: %stage %t thread | FileCheck %s --check-prefixes=CHECK,EARLY
// RUN: %heddle_cc -O2 %packets -pthread -DCALLEE %s -o %t.callee && %stage %t.callee | FileCheck %s
// RUN: %stage %t.callee thread | FileCheck %s
#include "packets.h"

#include <pthread.h>

static unsigned finished;

static void at_end(void) {
  printf("%u finished, %08x\n", finished, digest(0));
}

__attribute__((noinline, unused)) static void give_up(struct rte_mbuf *p) {
  p->out[2] = work(p, 1);
  if (p->id % 100 != 99) return;
  show_crossings();
  exit(7);
}

static void *run(void *unused) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
#ifdef CALLEE
      if (p->id >= 300) give_up(p);
#else
      if (p->id == 444) {
        show_crossings();
        exit(7);
      }
#endif
      p->out[1] = work(p, p->out[0]);
      finished++;
    }
  return unused;
}

int main(int count, char **arguments) {
  atexit(at_end);
  pthread_t thread;
  if (count < 2) return run(NULL) != NULL;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  return 0;
}
// CHECK: sites (
// EARLY: {{ work +\(context}}
// CHECK: original {{.*}}status 7
// CHECK: outputs: identical
// CHECK: exit status 7
