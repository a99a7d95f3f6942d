// A packet loop inside a body runs unstaged; the outer packet's own sites work again afterwards.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

static int inner(void* env) {
  int packet = take(env);
  if (packet < 0) return 3;
  printf(" i%da", packet);
  HEDDLE_SITE(5);
  printf(" i%db", packet);
  return 0;
}

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  struct loop loop = {0, 2};
  printf(" %da", packet);
  printf("=%d", heddle_run_loop(inner, &loop, -1));
  HEDDLE_SITE(1);
  printf(" %db", packet);
  return 0;
}

int main(void) {
  struct loop loop = {0, 2};
  heddle_run_loop(body, &loop, -1);
  printf("\n");
}
// CHECK: 0a i0a i0b i1a i1b=3 1a i0a i0b i1a i1b=3 0b 1b
