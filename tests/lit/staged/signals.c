// A signal handler that runs on a private stack, from a timer at any moment and raised by the body itself: it reads and
// counts, leaves registers and red zones whole, and may use a stack of its own.
// RUN: %heddle_cc -O2 %packets %s -o %t && %stage %t | FileCheck %s
// RUN: %stage %t own-stack | FileCheck %s
#include "packets.h"

#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks, raised;

static void on_tick(int number) {
  volatile char frame[2000];
  memset((char *)frame, number, sizeof frame);
  ticks++;
}

static void on_raise(int number) {
  (void)number;
  raised++;
}

__attribute__((noinline)) static uint32_t long_work(struct rte_mbuf *p, uint32_t x) {
  for (unsigned i = 0; i < 2000; i++) {
    x = mix(x + p->length);
    if (p->length % 5 == 0) x ^= mix(i);
  }
  return x;
}

static void run(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = long_work(p, p->id);
      p->out[1] = long_work(p, p->out[0]);
      if (p->id % 10 == 3) raise(SIGUSR1);
      p->out[2] = long_work(p, p->out[1]);
    }
}

int main(int count, char **arguments) {
  static char own[64 << 10];
  stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
  if (count > 1) sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART | (count > 1 ? SA_ONSTACK : 0)};
  sigaction(SIGALRM, &action, NULL);
  action.sa_handler = on_raise;
  sigaction(SIGUSR1, &action, NULL);
  struct itimerval timer = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &timer, NULL);
  run();
  printf("%08x %d %s\n", digest(0), (int)raised, ticks > 0 ? "ticks" : "no tick");
  show_crossings();
  return 0;
}
// CHECK: sites (
// CHECK: {{heddle.body}}
// CHECK: outputs: identical
// CHECK: exit status 0
