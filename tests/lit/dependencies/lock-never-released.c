// A packet that ends with a lock: locks keep their window, and what the checker sees held at a site is as it was without sites.
// (Found by the fuzzer.)
// RUN: %heddle_cc -g -O2 -pthread %packets %s -o %t && %plan %t
// RUN: %heddle plan %t --policy finest --budget 1K --explain | FileCheck %s --check-prefix=PLAN
// RUN: %heddle verify %t --dependencies | FileCheck %s
// PLAN: lock, but a packet may end and hold a lock
// CHECK: 4{{[0-9][0-9]}} crossed a site
// CHECK: order: no dependence is reversed
#define _GNU_SOURCE
#include "packets.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static uint32_t late;

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = pthread_mutex_lock(&lock) ? 1 : 2;
      if (p->id % 3) pthread_mutex_unlock(&lock);
      p->out[1] = work(p, p->out[0]);
      p->out[2] = work(p, p->out[1]);
      late = mix(late ^ p->out[2]);
    }
  printf("%08x %08x\n", digest(0), late);
  return 0;
}
