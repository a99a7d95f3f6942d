// When a body leaves the loop no other starts, and those in flight finish before the loop returns.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  printf(" %da", packet);
  if (packet == 2) return 5;
  HEDDLE_SITE(1);
  printf(" %db", packet);
  return 0;
}

int main(void) {
  struct loop loop = {0, 5};
  printf(" result %d", heddle_run_loop(body, &loop, -1));
  printf(" again %d\n", heddle_run_loop(body, &loop, -1));
}
// CHECK: 0a 1a 2a 0b 1b result 5 3a 4a 3b 4b again 1
