// Output whose result the program looks at holds the body together, unless the user says that it may be taken for success: then
// it is kept like other output, through a wrapper that other code uses, too, apart from other descriptors, and whatever other
// threads may learn afterwards.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/declared-output.toml %t/heddle.toml && %heddle_cc -O2 %packets %s -o %t/p
// RUN: %stage %t/p | FileCheck %s
// RUN: %heddle verify %t/p --dependencies -- | FileCheck %s --check-prefix=CHECKED
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle plan %t/p --policy finest --budget 1K --print --trust proven | FileCheck %s --check-prefix=STRICT
// RUN: %heddle plan %t/p --policy finest --budget 1K --print --without deferred-output | FileCheck %s --check-prefix=STRICT
#include "packets.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int sockets[2], lines[2], state[2], lost;
static unsigned last;

static void *watch(void *unused) {
  while (__atomic_load_n(&last, __ATOMIC_ACQUIRE) < PACKETS - 1) usleep(1000);
  return unused;
}

static inline ssize_t write_bytes(int descriptor, const void *data, size_t size) {
  return write(descriptor, data, size);
}

// As a careful program does it.
static int log_line(int descriptor, const char *text, size_t size) {
  ssize_t n = write_bytes(descriptor, text, size);
  if (n == (ssize_t)size) return 1;
  lost++;
  return 0;
}

static int answer(const char *text, size_t size) {
  return send(sockets[0], text, size, 0) == (ssize_t)size;
}

static void drain(int descriptor, const char *what) {
  char text[4096];
  ssize_t n;
  while ((n = read(descriptor, text, sizeof text - 1)) > 0) printf("%s: %.*s\n", what, (int)n, text);
}

int main(void) {
  struct rte_mbuf *packets[32];
  pthread_t watcher;
  int n;
  if (pthread_create(&watcher, NULL, watch, NULL)) return 1;
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, sockets)) return 1;
  if (pipe(lines) || fcntl(lines[0], F_SETFL, O_NONBLOCK) || pipe(state)) return 1;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0) {
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      char text[64], byte = (char)p->id;
      p->out[0] = work(p, p->id);
      p->out[1] = (uint32_t)log_line(lines[1], text, (size_t)snprintf(text, sizeof text, "%u of %u;", p->id, p->out[0]));
      p->out[2] = work(p, p->out[1]);
      p->out[3] = (uint32_t)answer(text, strlen(text));
      p->out[4] = work(p, p->out[3]);
      // Another descriptor, whose state packets do see.
      if (write_bytes(state[1], &byte, 1) == 1 && read(state[0], &byte, 1) == 1) p->out[5] = (uint32_t)byte;
      __atomic_store_n(&last, p->id, __ATOMIC_RELEASE);
    }
    drain(lines[0], "line");
    drain(sockets[1], "answer");
  }
  pthread_join(watcher, NULL);
  show_crossings();
  printf("%08x, %d lost\n", digest(0), lost);
  return 0;
}

// CHECK: output log_line, answer: nobody looks
// CHECK: calls for output kept with the packet (2)
// CHECK-DAG: write {{.*}}declared-output.c
// CHECK-DAG: send {{.*}}declared-output.c
// CHECK: outputs: identical
// CHECKED: order: no dependence is reversed
// FREE: declared output: its calls are kept with the packet
// FREE-NOT: the output of log_line
// FREE: remark [unused-declaration] {{.*}}heddle.toml:6
// FREE-NEXT: no packet runs the output of drain
// STRICT-NOT: kept with the packet
