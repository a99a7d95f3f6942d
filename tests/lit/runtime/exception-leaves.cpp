// An exception that leaves a body reaches the caller's handler after the packets in flight have finished.
// RUN: %clangxx -O2 %s %rt -o %t && %t | FileCheck %s
// RUN: %clangxx -O2 -static %s %rt -o %t && %t | FileCheck %s
// RUN: not --crash %t uncaught 2>&1 | FileCheck %s --check-prefix=UNCAUGHT
#include "staged.h"

#include <stdexcept>

struct Cleanup {
  int packet;
  ~Cleanup() { printf(" ~%d", packet); }
};

static int body(void* env) {
  int packet = take(static_cast<loop*>(env));
  if (packet < 0) return 1;
  printf(" %da", packet);
  {
    Cleanup cleanup{packet};
    if (packet == 2) throw std::runtime_error("two");
    HEDDLE_SITE(1);
  }
  printf(" %db", packet);
  return 0;
}

static void run(loop& all) {
  Cleanup cleanup{99};
  heddle_run_loop(body, &all, -1);
}

int main(int count, char**) {
  loop all = {0, 5};
  if (count > 1) run(all);
  for (int i = 0; i < 2; ++i) {
    try {
      run(all);
    } catch (const std::exception& error) {
      printf(" caught %s", error.what());
    }
  }
  printf(" end %d\n", std::uncaught_exceptions());
}
// CHECK: 0a 1a 2a ~2 ~0 0b ~1 1b ~99 caught two 3a 4a ~3 3b ~4 4b ~99 end 0
// Uncaught, it ends the program where it was thrown, as without staging.
// UNCAUGHT: terminate called after throwing an instance of 'std::runtime_error'
