// Without memory: for the stacks the program runs as the original does, for output that is kept the packet runs alone, for the
// program's own blocks it takes its own error path. The output is the same each time.
// RUN: %clang -O1 -shared -fPIC %S/Inputs/no-memory.c -o %t.so
// RUN: %heddle_cc -O2 %packets %s -o %t && %stage %t | FileCheck %s
// RUN: %t > %t.expected && env LD_PRELOAD=%t.so NO_MEMORY=malloc %t > %t.failing
// RUN: not cmp -s %t.expected %t.failing && FileCheck %s --check-prefix=FAILING --input-file %t.failing
// RUN: (ulimit -v 1000000 && SHOW_CROSSINGS=1 HEDDLE_STACK=64M %t.heddle > %t.actual 2> %t.counts) && diff %t.expected %t.actual
// RUN: FileCheck %s --check-prefix=STACKS --input-file %t.counts
// RUN: env LD_PRELOAD=%t.so NO_MEMORY=mmap SHOW_CROSSINGS=1 %t.heddle > %t.actual 2> %t.counts && diff %t.expected %t.actual
// RUN: FileCheck %s --check-prefix=KEPT --input-file %t.counts
// RUN: env LD_PRELOAD=%t.so NO_MEMORY=malloc SHOW_CROSSINGS=1 %t.heddle > %t.actual 2> %t.counts && diff %t.failing %t.actual
// RUN: FileCheck %s --check-prefix=OWN --input-file %t.counts
#include "packets.h"

__attribute__((noinline)) static char *note(struct rte_mbuf *packet) {
  size_t size = packet->length * 4 + 100;
  char *text = malloc(size);
  if (text) memset(text, 'a' + packet->id % 26, size);
  return text;
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  setvbuf(stdout, NULL, _IONBF, 0);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      char *text = note(p);
      printf("%u has %u\n", p->id, p->out[0]);
      p->out[1] = work(p, p->out[0]);
      if (!text) {
        printf("%u: no memory\n", p->id);
        continue;
      }
      p->out[2] = work(p, p->out[1]) + (unsigned)text[p->length];
      printf("%u wrote %c\n", p->id, text[7]);
      p->out[3] = work(p, p->out[2]);
      free(text);
    }
  printf("digest %u\n", digest(0));
  show_crossings();
  return 0;
}
// CHECK: deferred-output
// CHECK: outputs: identical
// FAILING: no memory
// STACKS: crossings 0
// KEPT: crossings {{[1-9]}}
// KEPT: alone {{[1-9][0-9]}}
// OWN: crossings {{[1-9]}}
