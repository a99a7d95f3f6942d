// A body that forks: the child goes on with the same packets, and thread-specific state survives in both.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

#include <sys/wait.h>
#include <unistd.h>

static int sum;

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  HEDDLE_SITE(1);
  if (packet == 2) {
    pid_t child = fork();
    if (child > 0) waitpid(child, NULL, 0);
  }
  HEDDLE_SITE(2);
  sum += packet;
  return 0;
}

int main(void) {
  struct loop loop = {0, 5};
  heddle_run_loop(body, &loop, -1);
  printf("sum %d\n", sum);
}
// CHECK-COUNT-2: sum 10
