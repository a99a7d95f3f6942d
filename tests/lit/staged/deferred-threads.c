// Two threads, each with a loop and channels of its own, and a log that both write under a lock: the log keeps its
// place between lock and unlock, the rest is put off.
// RUN: %heddle_cc -O2 -pthread %packets %s -o %t && %stage %t | FileCheck %s
#include "packets.h"
#include <pthread.h>
#include <unistd.h>

static FILE *own[2], *common;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t number;

static void *run(void *which) {
  unsigned long queue = (unsigned long)which;
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, queue, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      pthread_mutex_lock(&lock);
      fprintf(common, "%u\n", number++);
      pthread_mutex_unlock(&lock);
      p->out[0] = work(p, p->id);
      fprintf(own[queue], "%u %08x\n", p->id, p->out[0]);
      p->out[1] = work(p, p->out[0]);
      fprintf(own[queue], "again %08x\n", p->out[1]);
      p->out[2] = work(p, p->out[1]);
      p->out[3] = work(p, p->out[2]);
      fputs("and again\n", own[queue]);
      p->out[4] = work(p, p->out[3]);
    }
  show_crossings();
  return NULL;
}

static void show(FILE *file) {
  int c;
  rewind(file);
  while ((c = getc(file)) != EOF) putchar(c);
}

int main(void) {
  pthread_t threads[2];
  own[0] = tmpfile();
  own[1] = tmpfile();
  common = popen("cat", "w");
  for (unsigned long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  for (unsigned i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  pclose(common);
  for (unsigned i = 0; i < 2; i++) show(own[i]);
  printf("%08x %08x\n", digest(0), digest(1));
  return 0;
}
// CHECK: calls for output kept with the packet (3)
// CHECK-NEXT: fprintf {{.*}}deferred-threads.c:23
// CHECK-NEXT: fprintf {{.*}}deferred-threads.c:25
// CHECK-NEXT: fwrite {{.*}}deferred-threads.c:28
// CHECK: outputs: identical
