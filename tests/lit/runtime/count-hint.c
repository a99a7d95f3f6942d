// A batch known to hold one packet runs on the caller's stack; staging can be switched at run time.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

static char* home;

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  char local;
  printf(" %da%s", packet, labs(&local - home) < 4096 ? "" : "*");
  HEDDLE_SITE(1);
  printf(" %db", packet);
  return 0;
}

static void run(int packets, int count) {
  struct loop loop = {0, packets};
  char local;
  home = &local;
  heddle_run_loop(body, &loop, count);
  printf("\n");
}

int main(void) {
  run(1, 1);
  run(2, 2);
  heddle_set_batch(1);
  run(2, 2);
  heddle_set_batch(2);
  run(3, 3);
  heddle_set_batch(64);
  run(3, 3);
}
// CHECK: {{^}} 0a 0b{{$}}
// CHECK: {{^}} 0a* 1a* 0b 1b{{$}}
// CHECK: {{^}} 0a 0b 1a 1b{{$}}
// CHECK: {{^}} 0a* 1a* 0b 1b 2a* 2b{{$}}
// CHECK: {{^}} 0a* 1a* 2a* 0b 1b 2b{{$}}
