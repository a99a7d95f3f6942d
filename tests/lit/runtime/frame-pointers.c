// The chain of frame pointers, which perf follows, also leads from a private stack to main.
// RUN: %clang -O1 -fno-omit-frame-pointer -rdynamic %s %rt -o %t && %t | FileCheck %s
#define _GNU_SOURCE
#include "staged.h"

#include <dlfcn.h>

__attribute__((noinline)) static void walk(void) {
  void** frame = __builtin_frame_address(0);
  for (int depth = 0; frame != NULL && depth < 10; ++depth) {
    Dl_info info;
    const char* name = dladdr(frame[1], &info) && info.dli_sname != NULL ? info.dli_sname : "?";
    printf(" %s", name);
    if (strcmp(name, "main") == 0) break; // libc's own code keeps no such chain
    frame = frame[0];
  }
}

int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  HEDDLE_SITE(1);
  if (packet == 3) walk();
  __asm__ volatile("");
  return 0;
}

int main(void) {
  struct loop loop = {0, 5};
  heddle_run_loop(body, &loop, -1);
  printf("\n");
}
// CHECK: body {{.*}}main
