// A body may use its whole stack (HEDDLE_STACK sets the size); past its end it faults.
// RUN: %clang -O1 %s %rt -o %t
// RUN: %t 200 | FileCheck %s
// RUN: not --crash %t 300
// RUN: env HEDDLE_STACK=1M %t 900 | FileCheck %s
#include "staged.h"

static int kilobytes;

__attribute__((noinline)) static int use(int left) {
  volatile char frame[1000];
  memset((char*)frame, left, sizeof frame);
  int below = left > 1 ? use(left - 1) : 0;
  return below + (frame[left % 1000] == (char)left);
}

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  HEDDLE_SITE(1);
  if (use(kilobytes) != kilobytes) printf("lost\n");
  HEDDLE_SITE(2);
  return 0;
}

int main(int count, char** arguments) {
  struct loop loop = {0, 40};
  kilobytes = atoi(arguments[1]);
  heddle_run_loop(body, &loop, -1);
  printf("done\n");
}
// CHECK-NOT: lost
// CHECK: done
