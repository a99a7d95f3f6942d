// What a packet has put off is made before it waits, also in a stage in which no packet before it is left: here each packet
// receives what it has sent itself.
// RUN: %clang -O2 %s %rt -o %t
// RUN: env HEDDLE_BATCH=32 %t | FileCheck %s
// RUN: env HEDDLE_BATCH=1 %t | FileCheck %s
#include "staged.h"

#include "runtime/deferred.h"

static int queue[2];

static int body(void* env) {
  int packet = take(env);
  char byte = (char)('0' + packet);
  if (packet < 0) return 7;
  heddle_defer_send(queue[1], &byte, 1, 0);
  HEDDLE_SITE(1);
  if (heddle_recv(queue[0], &byte, 1, 0) == 1) printf(" %d gets %c", packet, byte);
  return 0;
}

int main(void) {
  struct loop loop = {0, 4};
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, queue)) return 1;
  printf(" result %d\n", heddle_run_loop(body, &loop, -1));
}
// CHECK: {{^}} 0 gets 0 1 gets 1 2 gets 2 3 gets 3 result 7
