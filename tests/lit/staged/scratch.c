// Buffers that every packet fills and reads all along its path: of the program, of each thread, and in front of the packet
// loop. Each packet in flight has its own. errno likewise: a call fails early, and the code is looked at late.
// RUN: %heddle_cc -O2 %packets %s -o %t && %stage %t | FileCheck %s
// RUN: %heddle plan %t --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle plan %t --policy finest --budget 1K --explain --without scratch,errno | FileCheck %s --check-prefix=STRICT
// RUN: %heddle plan %t --policy finest --budget 1K && %heddle verify --dependencies %t -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify --dependencies --staged %t -- | FileCheck %s --check-prefix=STAGED
#include "packets.h"

#include <errno.h>
#include <unistd.h>

static uint32_t header[8], other_header[8];
static __thread struct { uint32_t first; uint8_t kind; uint32_t last __attribute__((aligned(16))); } thread;

__attribute__((noinline)) static void fill(uint32_t *to, uint32_t x) {
  for (int i = 0; i < 8; i++) to[i] = mix(x + i);
}
__attribute__((noinline)) static uint32_t sum(const uint32_t *from) {
  uint32_t x = 0;
  for (int i = 0; i < 8; i++) x = mix(x ^ from[i]);
  return x;
}
int main(void) {
  struct rte_mbuf *packets[32];
  uint32_t trailer[8];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      fill(header, p->id);
      fill(other_header, p->id + 1);
      fill(trailer, p->length);
      thread.first = p->id;
      thread.kind = p->length;
      thread.last = p->flow;
      int failed = chdir(p->id & 1 ? "" : "/dev/null"); // two codes
      p->out[0] = work(p, p->id);
      const uint32_t *from = header;
      switch (p->id & 7) { // several ways out of it give one address
      case 1: case 4: case 6: break;
      case 2: from = other_header, p->out[5] = work(p, 5); break;
      default: from = other_header, p->out[6] = work(p, 6);
      }
      p->out[1] = work(p, sum(from));
      if (failed < 0) p->out[2] = work(p, errno);
      p->out[3] = work(p, sum(trailer) ^ thread.kind);
      p->out[4] = work(p, thread.first ^ thread.last);
    }
  fill(header, 7);
  show_crossings();
  printf("%08x %08x\n", digest(0), sum(header));
  return 0;
}
// CHECK: outputs: identical
// FREE-DAG: header: every packet writes it before reading it
// FREE-DAG: stack variable trailer of main: every packet writes it before reading it
// FREE-DAG: thread: every packet writes it before reading it
// FREE-DAG: errno: every packet that reads it has set it before, or a call of its has failed
// STRICT-NOT: each in flight has a copy
// STRICT-NOT: each has its own
// STRICT: header
// ORDER: fell inside scratch:
// ORDER: order: no dependence is reversed
// STAGED: order: no dependence is reversed
