// Exceptions thrown and caught inside a body, across a site between throw sites, in C++ and with cleanups.
// RUN: %clangxx -O2 %s %rt -o %t && %t | FileCheck %s
// RUN: %clangxx -O0 %s %rt -o %t && %t | FileCheck %s
#include "staged.h"

struct Cleanup {
  int packet;
  ~Cleanup() { printf(" ~%d", packet); }
};

__attribute__((noinline)) static void deep(int packet) {
  Cleanup cleanup{packet};
  HEDDLE_SITE(1);
  if (packet % 2) throw packet;
}

static int body(void* env) {
  int packet = take(static_cast<loop*>(env));
  if (packet < 0) return 1;
  bool caught = false;
  try {
    deep(packet);
  } catch (int value) {
    caught = value == packet;
  }
  HEDDLE_SITE(2);
  printf(" %d%s", packet, caught ? "!" : ".");
  return 0;
}

int main() {
  loop all = {0, 4};
  heddle_run_loop(body, &all, -1);
  printf("\n");
}
// CHECK: ~0 ~1 ~2 ~3 0. 1! 2. 3!
