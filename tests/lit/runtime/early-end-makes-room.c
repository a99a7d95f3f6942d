// A packet that ends before the first site takes no place among those in flight.
// RUN: %clang -O2 %s %rt -o %t && env HEDDLE_BATCH=2 %t | FileCheck %s
#include "staged.h"

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  printf(" %da", packet);
  if (packet < 3) return 0;
  HEDDLE_SITE(1);
  printf(" %db:%u", packet, heddle_in_flight());
  return 0;
}

int main(void) {
  struct loop loop = {0, 5};
  heddle_run_loop(body, &loop, -1);
  printf(" %u\n", heddle_in_flight());
}
// CHECK: 0a 1a 2a 3a 4a 3b:2 4b:1 0
