// Two threads whose packets take locks all along their path. No packet is suspended with one; without the relaxation the
// locks hold the path together.
// RUN: %heddle_cc -O2 -pthread %packets %s -o %t && %stage %t | FileCheck %s
// RUN: %heddle plan %t --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle verify --dependencies %t -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify --dependencies --staged %t -- | FileCheck %s --check-prefix=STAGED
// RUN: %heddle plan %t --policy finest --budget 1K --print --without lock | FileCheck %s --check-prefix=STRICT
#include "packets.h"

#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, last = PTHREAD_MUTEX_INITIALIZER;
static uint64_t flows[16], lengths[16];

static void *worker(void *number) {
  struct rte_mbuf *packets[32];
  const uint16_t queue = (uint16_t)(uintptr_t)number;
  int n;
  while ((n = rte_eth_rx_burst(0, queue, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      pthread_mutex_lock(&first);
      flows[p->flow] += work(p, p->flow);
      pthread_mutex_unlock(&first);
      p->out[1] = work(p, p->out[0]);
      p->out[2] = work(p, p->out[1]);
      pthread_mutex_lock(&last);
      lengths[p->flow] += p->length;
      pthread_mutex_unlock(&last);
      p->out[3] = work(p, p->out[2]);
      pthread_mutex_lock(&first);
      flows[p->flow] += p->out[3];
      pthread_mutex_unlock(&first);
    }
  show_crossings();
  return 0;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, worker, (void *)1);
  worker(0);
  pthread_join(other, 0);
  uint64_t sum = 0;
  for (int i = 0; i < 16; i++) sum = sum * 3 + flows[i] * 5 + lengths[i];
  printf("%08x %08x %llx\n", digest(0), digest(1), (unsigned long long)sum);
  return 0;
}
// CHECK: work (context 3)
// CHECK: outputs: identical
// FREE: lock (
// FREE: first{{.*}}: only used by calls that take and release locks
// ORDER: fell inside lock:
// ORDER: order: no dependence is reversed
// STAGED: order: no dependence is reversed
// STRICT-NOT: work (context 3)
