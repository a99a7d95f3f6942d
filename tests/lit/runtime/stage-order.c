// Packets pass every stage in packet order, and a batch finishes a stage before it enters the next.
// RUN: %clang -O2 %s %rt -o %t
// RUN: env HEDDLE_BATCH=3 %t | FileCheck %s --check-prefix=THREE
// RUN: env HEDDLE_BATCH=1 %t | FileCheck %s --check-prefix=OFF
// RUN: env HEDDLE_BATCH=0 %t | FileCheck %s --check-prefix=OFF
// RUN: env HEDDLE_BATCH=2 %t | FileCheck %s --check-prefix=TWO
// RUN: env HEDDLE_BATCH=32 %t | FileCheck %s --check-prefix=ALL
// RUN: env HEDDLE_BATCH=64 %t | FileCheck %s --check-prefix=ALL
// RUN: %t | FileCheck %s --check-prefix=ALL
#include "staged.h"

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 7;
  printf(" %da", packet);
  HEDDLE_SITE(1);
  printf(" %db", packet);
  HEDDLE_SITE(2);
  printf(" %dc", packet);
  return 0;
}

int main(void) {
  struct loop loop = {0, 5};
  printf(" result %d\n", heddle_run_loop(body, &loop, -1));
}
// THREE: 0a 1a 2a 0b 1b 2b 0c 1c 2c 3a 4a 3b 4b 3c 4c result 7
// OFF: 0a 0b 0c 1a 1b 1c 2a 2b 2c 3a 3b 3c 4a 4b 4c result 7
// TWO: 0a 1a 0b 1b 0c 1c 2a 3a 2b 3b 2c 3c 4a 4b 4c result 7
// ALL: 0a 1a 2a 3a 4a 0b 1b 2b 3b 4b 0c 1c 2c 3c 4c result 7
