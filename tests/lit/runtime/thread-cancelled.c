// pthread_exit in a body: the packets in flight finish, the caller's cleanup handlers run, the thread ends.
// RUN: %clang -O2 -fexceptions %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

#include <pthread.h>

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  if (packet == 2) pthread_exit((void*)42);
  HEDDLE_SITE(1);
  printf(" %db", packet);
  return 0;
}

static void cleanup(void* unused) {
  printf(" cleanup");
}

static void* worker(void* unused) {
  struct loop loop = {0, 5};
  pthread_cleanup_push(cleanup, NULL);
  heddle_run_loop(body, &loop, -1);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* result;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, &result);
  printf(" result %ld\n", (long)result);
}
// CHECK: 0b 1b cleanup result 42
