// A program built with AddressSanitizer keeps it where packets step aside, with loops, nested look-ups and early exits on the way: same output, and a fault behind
// a wait is still found. UndefinedBehaviorSanitizer's reports are output, in packet order, so with it packets wait where they are. (The
// annotation is in a function that may throw nothing: C++ with exceptions called it in a way that was not seen.)
// RUN: %heddle_cxx -O1 -g -fsanitize=address %packets %s -o %t && %hide %t | FileCheck %s
// RUN: not %t.heddle heap 2>&1 | FileCheck %s --check-prefixes=HEAP
// RUN: %heddle_cxx -O1 -g -fsanitize=undefined %packets %s -o %t.u && %heddle profile %t.u --stdout %t.profiled
// RUN: %heddle plan %t.u --print | FileCheck %s --check-prefix=LEFT
// RUN: %heddle build %t.u && %t.u.heddle overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// CHECK: hidden {{.*}}sanitized.cpp
// CHECK: interleaved in one function
// CHECK: outputs: identical
// HEAP: heap-buffer-overflow
// HEAP: heddle.body.0.interleaved
// LEFT: left {{.*}}sanitized.cpp{{.*}}: it lies in code that packets pass in order
// OVERFLOW: sanitized.cpp:[[@LINE+28]]:{{.*}} signed integer overflow
#include "packets.h"

struct entry {
  uint32_t key, value, next;
};

static struct entry *entries;
static uint32_t heads[256];
static char fault;

// A list's elements, until one fits or it ends.
static uint32_t find(uint32_t key) noexcept {
  for (uint32_t at = heads[mix(key) & 255]; at; at = entries[at].next) {
    const struct entry *e = &entries[at];
    HEDDLE_EXPENSIVE(e);
    if (e->key == key) return e->value;
  }
  return 0;
}

static uint32_t handle(rte_mbuf *p) noexcept {
  const bool now = p->id == 300;
  uint32_t x = find(p->flow);
  if (x == 0) return 1;
  if (now && fault == 'h') x ^= entries[1024 + (x & 1)].value;
  x = mix(x ^ find(x & 511));
  int sum = int(p->id);
  if (now && fault == 'o') sum += 0x7fffff00 + int(x & 255);
  return x + uint32_t(sum);
}

int main(int argc, char **argv) {
  rte_mbuf *packets[32];
  int n;
  fault = argc > 1 ? argv[1][0] : 0;
  entries = static_cast<entry *>(calloc(1024, sizeof *entries));
  for (uint32_t i = 1; i < 1024; i++) {
    uint32_t *head = &heads[mix(i % 512) & 255];
    entries[i] = {i % 512, mix(i) | 1, *head};
    *head = i;
  }
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) packets[i]->out[0] = handle(packets[i]);
  show_crossings();
  printf("%08x\n", digest(0));
  free(entries);
  return 0;
}
