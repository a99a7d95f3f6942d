// longjmp inside a body stays on its stack; out of a body it abandons the batch, and the next loop is sound.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

#include <setjmp.h>

static jmp_buf outside;

__attribute__((noinline)) static void jump(jmp_buf* to, int value) {
  longjmp(*to, value);
}

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  jmp_buf inside;
  volatile int kept = packet * 10;
  int value = setjmp(inside);
  if (value == 0) {
    HEDDLE_SITE(1);
    jump(&inside, packet + 1);
  }
  HEDDLE_SITE(2);
  printf(" %d:%d,%d", packet, value, kept);
  if (packet == 3) jump(&outside, 5);
  return 0;
}

int main(void) {
  struct loop loop = {0, 6};
  int value = setjmp(outside);
  if (value != 0) printf(" out %d", value);
  heddle_run_loop(body, &loop, -1);
  if (value == 0) return 1;
  loop.next = 0;
  loop.packets = 2;
  heddle_run_loop(body, &loop, -1);
  printf(" in flight %u\n", heddle_in_flight());
}
// CHECK: 0:1,0 1:2,10 2:3,20 3:4,30 out 5 0:1,0 1:2,10 in flight 0
