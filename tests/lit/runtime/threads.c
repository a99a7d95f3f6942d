// Worker threads stage their own batches; thread-local variables stay the thread's.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

#include <pthread.h>

static __thread long sum;
static __thread int in_order;

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  long value = packet;
  HEDDLE_SITE(1);
  sum += value;
  HEDDLE_SITE(2);
  in_order += sum > 0 || packet == 0;
  HEDDLE_SITE(3);
  sum += value & 1;
  return 0;
}

static void* worker(void* argument) {
  for (int i = 0; i < 50; ++i) {
    struct loop loop = {0, 1000};
    heddle_run_loop(body, &loop, -1);
  }
  struct heddle_counters counters;
  heddle_get_counters(&counters);
  long* results = argument;
  results[0] = sum;
  results[1] = in_order;
  results[2] = (long)counters.crossings;
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  long results[4][3];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, worker, results[i]);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; ++i)
    printf("%ld %ld %ld\n", results[i][0], results[i][1], results[i][2]);
}
// CHECK-COUNT-4: 25000000 50000 150000
