// A signal handler calls what is rare code for packets: there it is no packet's, and no gate works. What the program
// sees of its handlers (the old one, its flags, the information it gets) is as it was without Heddle in between.
// RUN: %heddle_cc -O2 %packets %s -o %t && env STAGE_PLAN="--rare 0.1" %stage %t | FileCheck %s
#include "packets.h"

#include <signal.h>
#include <unistd.h>

static volatile uint32_t reports, last_report;
static volatile sig_atomic_t informed;

// Rare for packets, usual for the handler.
__attribute__((noinline)) static void report(uint32_t what) {
  if (what % 977 == 5) abort();
  reports++;
  last_report = mix(last_report ^ what);
}

static void plain(int number) { report(number * 1000); }
static void with_info(int number, siginfo_t *info, void *context) {
  informed += info->si_signo == number && info->si_pid == getpid() && context != NULL;
  report(number * 2000);
}

int main(void) {
  struct sigaction action = {.sa_handler = plain}, old;
  printf("%d", sigaction(SIGUSR1, &action, NULL));
  action.sa_sigaction = with_info;
  action.sa_flags = SA_SIGINFO;
  printf(" %d", sigaction(SIGUSR2, &action, NULL));
  printf(" %d", sigaction(SIGUSR2, NULL, &old));
  printf(" %d %d", old.sa_sigaction == with_info, (old.sa_flags & SA_SIGINFO) != 0);
  printf(" %d %d", sigaction(SIGUSR1, NULL, &old), old.sa_handler == plain && !(old.sa_flags & SA_SIGINFO));
  printf(" %d %d", signal(SIGHUP, plain) == SIG_DFL, signal(SIGHUP, SIG_IGN) == plain);
  printf(" %d %d\n", sigaction(SIGKILL, &action, NULL), signal(SIGKILL, plain) == SIG_ERR);
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
      if (p->id % 20 == 3) raise(p->id % 40 == 3 ? SIGUSR1 : SIGUSR2);
      p->out[2] = work(p, p->out[1]);
      if (p->length % 89 == 7) report(p->id);
      p->out[3] = work(p, p->out[2]);
    }
  show_crossings();
  printf("%08x %u %08x %d\n", digest(0), reports, last_report, (int)informed);
  return 0;
}
// CHECK: sites (
// CHECK: outputs: identical
// CHECK: alone {{[1-9]}}
