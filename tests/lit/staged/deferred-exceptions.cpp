// Output in the middle of bodies that throw, catch and exit: what a packet wrote before it left the loop is there, in
// order, and nothing of later packets.
// RUN: %heddle_cxx -O2 %packets %s -o %t && %stage %t | FileCheck %s
// RUN: %stage %t leave | FileCheck %s
// RUN: not %t exit > %t.expected
// RUN: for batch in 0 1 8 32; do env HEDDLE_BATCH=$batch not %t.heddle exit > %t.actual; diff %t.expected %t.actual; done
#include "packets.h"
#include <unistd.h>

static const char *how;

struct Refused {
  unsigned packet;
};

__attribute__((noinline)) static uint32_t work(rte_mbuf *p, uint32_t x) {
  uint32_t y = mix(x + p->length);
  for (unsigned i = 0; i < p->length % 5; i++) y ^= mix(x + i);
  return x + y;
}

__attribute__((noinline)) static void check(rte_mbuf *p) {
  if (p->id == 300 && !strcmp(how, "leave")) throw Refused{p->id};
  if (p->id == 300 && !strcmp(how, "exit")) exit(4);
}

__attribute__((noinline)) static void handle(rte_mbuf *p) {
  printf("%u begins\n", p->id);
  check(p);
  p->out[0] = work(p, p->id);
  printf("%08x\n", p->out[0]);
  p->out[1] = work(p, p->out[0]);
  char text[32];
  write(1, text, snprintf(text, sizeof text, "%u\n", p->id));
  p->out[2] = work(p, p->out[1]);
  p->out[3] = work(p, p->out[2]);
  puts("ends");
}

static void run() {
  rte_mbuf *packets[32];
  while (int n = rte_eth_rx_burst(0, 0, packets, 32))
    for (int i = 0; i < n; i++) handle(packets[i]);
}

int main(int argc, char **argv) {
  how = argc > 1 ? argv[1] : "";
  try {
    run();
  } catch (const Refused &refused) {
    printf("caught %u\n", refused.packet);
  }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: into stage 2
// CHECK: calls for output kept with the packet
// CHECK: outputs: identical
// CHECK: exit status 0
