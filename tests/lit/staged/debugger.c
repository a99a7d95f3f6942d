// gdb in an optimized program: a breakpoint in a function that a suspended and resumed packet runs, the backtrace from
// the private stack to main (or the thread), and the arguments in it.
// REQUIRES: gdb
// RUN: %heddle_cc -O1 -g %packets -pthread %s -o %t && %stage %t | FileCheck %s
// RUN: gdb -batch -nx -ex "break marker if p->id == 123" -ex run -ex bt %t.heddle | FileCheck %s --check-prefix=MAIN
// RUN: gdb -batch -nx -ex "break marker if p->id == 123" -ex run -ex bt --args %t.heddle thread \
// RUN:   | FileCheck %s --check-prefix=THREAD
#include "packets.h"

#include <pthread.h>

__attribute__((noinline)) static void marker(struct rte_mbuf *p, uint32_t x) {
  p->out[0] = x;
  __asm__ volatile("" : : "r"(p), "r"(x));
}

__attribute__((noinline)) static void last_phase(struct rte_mbuf *p, uint32_t x) {
  marker(p, work(p, x));
  p->out[1] = x;
}

static void *run_packets(void *unused) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) last_phase(packets[i], work(packets[i], packets[i]->id));
  show_crossings();
  return unused;
}

int main(int count, char **arguments) {
  if (count < 2) return run_packets(NULL) != NULL;
  pthread_t thread;
  pthread_create(&thread, NULL, run_packets, NULL);
  pthread_join(thread, NULL);
  return 0;
}
// CHECK: sites (
// CHECK: outputs: identical
// MAIN: #0 {{.*}}marker
// MAIN-SAME: p=
// MAIN: last_phase
// MAIN: heddle.body
// MAIN: heddle_start
// MAIN: heddle_run_loop
// MAIN: run_packets
// MAIN: main (
// THREAD: #0 {{.*}}marker
// THREAD: last_phase
// THREAD: heddle_start
// THREAD: heddle_run_loop
// THREAD: run_packets
