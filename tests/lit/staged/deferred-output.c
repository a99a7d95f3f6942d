// Output in the middle of the body, through streams and descriptors: it does not hold the body together, and every
// channel gets its bytes in the original's order, also where a stream and its own descriptor are written in turn.
// RUN: %heddle_cc -O2 %packets %s -o %t && %stage %t | FileCheck %s
// RUN: env HEDDLE_BATCH=0 %t.heddle > %t.expected && env HEDDLE_BATCH=32 %t.heddle > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %heddle plan %t --policy finest --budget 1K --print --without deferred-output | FileCheck %s --check-prefix=STRICT
#include "packets.h"
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int sockets[2];

__attribute__((noinline, format(printf, 1, 2))) static void tell(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
}

static void drain(void) {
  char text[4096];
  ssize_t n;
  while ((n = recv(sockets[1], text, sizeof text - 1, MSG_DONTWAIT)) > 0) {
    text[n] = 0;
    printf("message of %zd: %.60s\n", n, text);
  }
}

int main(void) {
  struct rte_mbuf *packets[32];
  static char many[3000];
  int n;
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets)) return 1;
  setvbuf(stdout, NULL, _IOLBF, 100);
  memset(many, '.', sizeof many - 1);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0) {
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      char text[64];
      printf("%u first ", p->id);
      p->out[0] = work(p, p->id);
      tell("%u %s %.1f %c", p->id, "second", p->id / 2.0, p->id % 3 ? 'x' : '\0');
      p->out[1] = work(p, p->out[0]);
      write(1, text, snprintf(text, sizeof text, "<%u>", p->id));
      p->out[2] = work(p, p->out[1]);
      fputs(p->id & 1 ? " odd\n" : " even", stdout);
      if (p->id % 50 == 7) fwrite(many, 1, sizeof many - 1 - p->id, stdout);
      p->out[3] = work(p, p->out[2]);
      send(sockets[0], text, strlen(text), MSG_DONTWAIT);
      p->out[4] = work(p, p->out[3]);
      struct iovec parts[2] = {{text, 3}, {many, p->id % 7}};
      struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
      sendmsg(sockets[0], &message, MSG_DONTWAIT);
      writev(1, parts, 2);
      p->out[5] = work(p, p->out[4]);
      putchar('\n');
    }
    drain();
  }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: into stage 5
// CHECK: calls for output kept with the packet (9)
// CHECK-DAG: vfprintf  {{.*}}stdio.h
// CHECK-DAG: sendmsg  {{.*}}deferred-output.c
// CHECK: outputs: identical
// STRICT-NOT: work (context
