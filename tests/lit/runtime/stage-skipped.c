// A packet that skips a stage waits where it is; sites of stages it has passed do nothing.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  printf(" %da", packet);
  if (packet % 2) {
    HEDDLE_SITE(2);
  } else {
    HEDDLE_SITE(1);
    printf(" %db", packet);
    HEDDLE_SITE(2);
    HEDDLE_SITE(1);
  }
  if (packet == 3) return 0;
  printf(" %dc", packet);
  if (packet == 0) return 0;
  HEDDLE_SITE(3);
  printf(" %dd", packet);
  return 0;
}

int main(void) {
  struct loop loop = {0, 5};
  heddle_run_loop(body, &loop, -1);
  struct heddle_counters counters;
  heddle_get_counters(&counters);
  printf(" crossings %d\n", (int)counters.crossings);
}
// CHECK: 0a 1a 2a 3a 4a 0b 2b 4b 0c 1c 2c 4c 1d 2d 4d crossings 11
