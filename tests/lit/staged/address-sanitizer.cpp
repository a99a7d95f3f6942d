// A program built with AddressSanitizer keeps it when it is optimized: same output with packets on private stacks, and
// an overflow of the heap or of a private stack is still found, with the body in the backtrace.
// RUN: %heddle_cxx -O1 -g -fsanitize=address %packets %s -o %t && %stage %t | FileCheck %s
// RUN: not %t.heddle heap 2>&1 | FileCheck %s --check-prefixes=HEAP,WHERE
// RUN: not %t.heddle stack 2>&1 | FileCheck %s --check-prefixes=STACK,WHERE
// RUN: not %t.heddle freed 2>&1 | FileCheck %s --check-prefixes=FREED,WHERE
#include "packets.h"

static char fault;

__attribute__((noinline)) static uint32_t work(rte_mbuf *p, uint32_t x) noexcept {
  uint32_t y = mix(x + p->length);
  if (p->length % 5 == 0) y ^= mix(x);
  return x + y;
}

__attribute__((noinline)) static uint32_t sum(const unsigned char *bytes, uint32_t count) noexcept {
  uint32_t result = 0;
  for (uint32_t i = 0; i < count; i++) result = result * 31 + bytes[i];
  return result;
}

__attribute__((noinline)) static uint32_t buffers(rte_mbuf *p, uint32_t x) noexcept {
  unsigned char local[32];
  auto *heap = static_cast<unsigned char *>(malloc(32));
  memset(local, int(x), sizeof local);
  memset(heap, int(x >> 8), 32);
  bool now = p->id == 300;
  uint32_t result = sum(local, now && fault == 's' ? 33 : 32);
  if (now && fault == 'f') free(heap);
  result ^= sum(heap, now && fault == 'h' ? 33 : 32);
  free(heap);
  return result;
}

static void run() {
  rte_mbuf *packets[32];
  while (int n = rte_eth_rx_burst(0, 0, packets, 32))
    for (int i = 0; i < n; i++) {
      rte_mbuf *p = packets[i];
      uint32_t x = work(p, p->id);
      x = buffers(p, x);
      p->out[0] = work(p, x);
    }
}

int main(int count, char **arguments) {
  if (count > 1) fault = arguments[1][0];
  run();
  printf("%08x\n", digest(0));
  show_crossings();
}
// CHECK: sites (
// CHECK: {{ work +\(context}}
// CHECK: outputs: identical
// CHECK: exit status 0
// HEAP: AddressSanitizer: heap-buffer-overflow
// STACK: AddressSanitizer: stack-buffer-overflow
// FREED: AddressSanitizer: heap-use-after-free
// WHERE: {{ in sum.*address-sanitizer.cpp}}
// WHERE: {{ in buffers.*address-sanitizer.cpp}}
// WHERE: {{ in heddle.body}}
