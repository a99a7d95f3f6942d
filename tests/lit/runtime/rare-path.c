// A packet that takes a rare path waits for the ends of all before it, and runs to its end before any later one
// goes on. Later packets keep what they did in stages already behind. What failed just before the rare path is still in
// errno after it.
// RUN: %clang -O2 %s %rt -o %t
// RUN: env HEDDLE_BATCH=32 %t 9 | FileCheck %s --check-prefix=NONE
// RUN: env HEDDLE_BATCH=32 %t 1 | FileCheck %s --check-prefix=ONE
// RUN: env HEDDLE_BATCH=32 %t 3 | FileCheck %s --check-prefix=LATE
// RUN: env HEDDLE_BATCH=1 %t 1 | FileCheck %s --check-prefix=OFF
// RUN: env HEDDLE_BATCH=32 %t 12 | FileCheck %s --check-prefix=TWO
#include "staged.h"
#include <errno.h>
#include <stdlib.h>
#include "heddle/heddle.h"

__attribute__((visibility("hidden"), preserve_most)) void heddle_alone(const char *place);
static int which;

// `which` 1: packet 1 takes it in stage 0; 3: packet 2 in stage 1; 12: packets 0 and 2, in stages 0 and 1.
static int rare(int packet, int stage) {
  if (which == 1) return packet == 1 && stage == 0;
  if (which == 3) return packet == 2 && stage == 1;
  if (which == 12) return (packet == 0 && stage == 0) || (packet == 2 && stage == 1);
  return 0;
}

static int body(void* env) {
  int packet = take(env);
  if (packet < 0) return 7;
  printf(" %da", packet);
  if (rare(packet, 0)) {
    errno = 40 + packet;
    heddle_alone("a test");
    if (errno != 40 + packet) printf(" errno of another packet");
    printf(" %dr", packet);
  }
  HEDDLE_SITE(1);
  printf(" %db", packet);
  if (rare(packet, 1)) {
    errno = 40 + packet;
    heddle_alone("a test");
    heddle_alone("a test");
    if (errno != 40 + packet) printf(" errno of another packet");
    printf(" %dr", packet);
  }
  HEDDLE_SITE(2);
  printf(" %dc", packet);
  errno = packet;
  return 0;
}

int main(int argc, char** argv) {
  struct loop loop = {0, 4};
  which = argc > 1 ? atoi(argv[1]) : 0;
  printf(" result %d\n", heddle_run_loop(body, &loop, -1));
  struct heddle_counters counters;
  heddle_get_counters(&counters);
  printf("alone %u\n", (unsigned)counters.alone);
}
// NONE: {{^}} 0a 1a 2a 3a 0b 1b 2b 3b 0c 1c 2c 3c result 7
// NONE: alone 0
// ONE: {{^}} 0a 1a 0b 0c 1r 1b 1c 2a 3a 2b 3b 2c 3c result 7
// ONE: alone 1
// LATE: {{^}} 0a 1a 2a 3a 0b 1b 2b 0c 1c 2r 2c 3b 3c result 7
// LATE: alone 1
// OFF: {{^}} 0a 0b 0c 1a 1r 1b 1c 2a 2b 2c 3a 3b 3c result 7
// OFF: alone 0
// TWO: {{^}} 0a 0r 0b 0c 1a 2a 3a 1b 2b 1c 2r 2c 3b 3c result 7
// TWO: alone 2
