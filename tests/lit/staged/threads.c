// Worker threads, each with a packet loop and thread-local state of its own, and counters that they share: under a
// lock, or with atomic operations. Every thread suspends its own packets.
// RUN: %heddle_cc -O2 %packets -pthread %s -o %t && %stage %t | FileCheck %s
// RUN: %heddle_cc -O2 %packets -pthread -DLOCKED %s -o %t.locked && %stage %t.locked | FileCheck %s
#include "packets.h"

#include <pthread.h>
#include <stdatomic.h>

static __thread uint32_t mine, last;
static atomic_uint all;
#ifdef LOCKED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static uint64_t total;
static uint32_t counts[4];

__attribute__((noinline)) static void account(struct rte_mbuf *p) {
#ifdef LOCKED
  pthread_mutex_lock(&lock);
  total += p->length;
  pthread_mutex_unlock(&lock);
#endif
  atomic_fetch_add_explicit(&all, p->length, memory_order_relaxed);
}

static void *run(void *argument) {
  uint16_t queue = *(uint16_t *)argument;
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, queue, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t x = work(p, p->id + queue);
      x ^= last;
      last = mix(last + p->id);
      x = work(p, x);
      account(p);
      p->out[0] = work(p, x);
      mine++;
    }
  counts[queue] = mine;
  show_crossings();
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  uint16_t queues[4];
  for (uint16_t i = 0; i < 4; i++) {
    queues[i] = i;
    pthread_create(&threads[i], NULL, run, &queues[i]);
  }
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  for (uint16_t i = 0; i < 4; i++) printf("%u %08x\n", counts[i], digest(i));
  printf("%u %llu\n", atomic_load(&all), (unsigned long long)total);
  return 0;
}
// CHECK: sites (
// CHECK: {{ work +\(context}}
// CHECK: outputs: identical
// CHECK-COUNT-4: crossings {{[1-9]}}
// CHECK: exit status 0
