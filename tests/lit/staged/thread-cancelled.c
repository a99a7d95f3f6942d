// pthread_exit and pthread_cancel while packets are on private stacks: cleanup handlers run, the thread ends, and the
// next one works.
// RUN: %heddle_cc -O2 -fexceptions %packets -pthread %s -o %t && %stage %t | FileCheck %s
// RUN: %heddle_cc -O2 -fexceptions %packets -pthread -DCANCEL %s -o %t.cancel && %stage %t.cancel | FileCheck %s
#include "packets.h"

#include <pthread.h>

static unsigned cleaned;

static void clean(void *unused) {
  (void)unused;
  cleaned++;
}

static void *run(void *argument) {
  struct rte_mbuf *packets[32];
  int n;
  pthread_cleanup_push(clean, NULL);
  while ((n = rte_eth_rx_burst(0, *(uint16_t *)argument, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      if (p->id == 400) {
        show_crossings();
#ifdef CANCEL
        pthread_cancel(pthread_self());
        pthread_testcancel();
#else
        pthread_exit((void *)42);
#endif
      }
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
    }
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  for (uint16_t queue = 0; queue < 3; queue++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, run, &queue);
    pthread_join(thread, &result);
    printf("%s, cleaned %u, %08x\n", result == PTHREAD_CANCELED ? "cancelled" : result ? "exited" : "ended", cleaned,
           digest(queue));
  }
  return 0;
}
// CHECK: sites (
// CHECK: {{ work +\(context}}
// CHECK: outputs: identical
// CHECK-COUNT-3: crossings {{[1-9]}}
// CHECK: exit status 0
