// Under AddressSanitizer the switches are announced: exceptions and fake stacks work, errors are found.
// RUN: %clangxx -O1 -g -fsanitize=address %s %rt -o %t
// RUN: env ASAN_OPTIONS=detect_stack_use_after_return=1 %t 2>&1 | FileCheck %s
// RUN: env ASAN_OPTIONS=detect_stack_use_after_return=0 %t 2>&1 | FileCheck %s
// RUN: not %t overflow 2>&1 | FileCheck %s --check-prefix=FOUND
#include "staged.h"

static bool overflow;

__attribute__((noinline)) static int touch(char* bytes, int at) {
  return bytes[at];
}

static int body(void* env) {
  int packet = take(static_cast<loop*>(env));
  if (packet < 0) return 1;
  char local[32];
  memset(local, packet, sizeof local);
  HEDDLE_SITE(1);
  try {
    if (packet % 3 == 0) throw packet;
  } catch (int value) {
    local[1] = char(value);
  }
  HEDDLE_SITE(2);
  if (touch(local, 0) != packet || touch(local, 1) != packet) printf("lost\n");
  if (overflow && packet == 17) printf("%d\n", touch(local, 32));
  return 0;
}

int main(int count, char**) {
  overflow = count > 1;
  for (int i = 0; i < 5; ++i) {
    loop all = {0, 100};
    heddle_run_loop(body, &all, -1);
  }
  heddle_counters counters;
  heddle_get_counters(&counters);
  printf("done %d\n", int(counters.crossings));
}
// CHECK-NOT: WARNING
// CHECK-NOT: lost
// CHECK: done 1000
// FOUND: AddressSanitizer: stack-buffer-overflow
// FOUND: touch(char*, int)
// FOUND: body(void*)
