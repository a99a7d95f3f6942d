// A datagram that is received before an earlier packet's answer is sent is let through under the relaxation's name. The
// answer's result is looked at, so it is not kept. Output that passes an earlier packet's receive is not let through.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %heddle_cc -g -O2 %packets %s -o %t/p && %plan %t/p --without deferred-output
// RUN: %heddle verify %t/p --dependencies | FileCheck %s
// CHECK: fell inside received-ahead:
// CHECK: order: no dependence is reversed
// RUN: %heddle verify %t/p --dependencies --staged | FileCheck %s --check-prefix=STAGED
// STAGED: {{[1-9][0-9]*}} packets
// STAGED: order: no dependence is reversed
// RUN: %heddle build %t/p && %heddle verify %t/p --batches 1,8,32 | FileCheck %s --check-prefix=SAME
// SAME: outputs: identical
//
// RUN: sed -i 's/^ *"received-ahead",$//' %t/p.heddle.d/plan.json
// RUN: not %heddle verify %t/p --dependencies 2>/dev/null | FileCheck %s --check-prefix=OFF
// OFF: order: the plan reverses
// OFF: file descriptor
// OFF: (sendto)
// OFF: (heddle_recvfrom)
//
// RUN: %heddle_cc -g -O2 %packets -DCONNECTED %s -o %t/f && %plan %t/f --without deferred-output
// RUN: %heddle verify %t/f --dependencies | FileCheck %s --check-prefix=FIRST
// FIRST: order: no dependence is reversed
// RUN: %shift %t/f.heddle.d/plan.json 0 -4
// RUN: not %heddle verify %t/f --dependencies 2>/dev/null | FileCheck %s --check-prefix=PASSED
// PASSED: file descriptor
// PASSED: (heddle_recvfrom)
// PASSED: (send)
#include "datagrams.h"

static unsigned lost;

struct request {
  struct sockaddr_in sender;
  unsigned char bytes[256];
};

__attribute__((noinline)) static void transform(struct request *r) {
  for (unsigned i = 4; i < 8; i++) r->bytes[i] = (unsigned char)mix(r->bytes[i] + i);
}
__attribute__((noinline)) static void count(long sent) { lost += sent < 0; }

__attribute__((noinline)) static long receive(int fd, struct request *r) {
  socklen_t size = sizeof r->sender;
  return recvfrom(fd, r->bytes, sizeof r->bytes, 0, (struct sockaddr *)&r->sender, &size);
}

static void serve(int fd) {
  for (;;) {
    struct request r;
#ifdef CONNECTED // sends, then receives
    count(send(fd, "answer", 6, 0));
#endif
    long n = receive(fd, &r);
    if (n < 0) break;
    if (n == 4 && memcmp(r.bytes, "stop", 4) == 0) break;
    transform(&r);
#ifdef CONNECTED
    count(r.bytes[5] - 1);
#else
    count(sendto(fd, r.bytes, (size_t)n, 0, (struct sockaddr *)&r.sender, sizeof r.sender));
#endif
  }
}

int main(void) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  pid_t client = start_client(fd, "bursts");
  serve(fd);
  end_client(client);
  printf("%u lost\n", lost);
  return 0;
}
