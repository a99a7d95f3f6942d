// Exceptions thrown in a callee, through frames with destructors, caught, rethrown and nested in the body: packets are
// suspended before and after. From the first throw to the end of the last handler all is one stage, because the C++
// library keeps the exceptions that were caught in one chain per thread.
// RUN: %heddle_cxx -O2 %packets %s -o %t && %stage %t | FileCheck %s
#include "packets.h"

static unsigned cleaned, caught_int, caught_base, rethrown, nested;

struct Base {
  uint32_t code;
};
struct Derived : Base {};

struct Guard {
  ~Guard() { ++cleaned; }
};

__attribute__((noinline)) static uint32_t parse(rte_mbuf *p, uint32_t x) noexcept {
  uint32_t y = mix(x + p->length);
  if (p->length % 5 == 0) y ^= mix(x);
  return x + y;
}

__attribute__((noinline)) static void deep(rte_mbuf *p, uint32_t x) {
  Guard guard;
  if (p->id % 7 == 3) throw Derived{{x}};
  if (p->id % 11 == 3) throw int(x % 1000);
}

__attribute__((noinline)) static void middle(rte_mbuf *p, uint32_t x) {
  Guard guard;
  deep(p, x);
}

// Without effect on others: cuts would be legal here, were it not between the beginning and the end of a handler.
__attribute__((noinline)) static uint32_t in_handler(rte_mbuf *p, uint32_t x) noexcept {
  uint32_t y = mix(x ^ p->length);
  if (p->length % 3 == 0) y += mix(y);
  if (y & 64) y ^= mix(p->id);
  return y;
}

__attribute__((noinline)) static uint32_t check(rte_mbuf *p, uint32_t x) noexcept {
  try {
    middle(p, x);
    x = mix(x);
  } catch (const Base &error) {
    x = in_handler(p, error.code);
    ++caught_base;
  } catch (int value) {
    x += mix(value);
    ++caught_int;
  } catch (...) {
    abort();
  }
  return mix(x);
}

__attribute__((noinline)) static uint32_t again(rte_mbuf *p, uint32_t x) noexcept {
  try {
    try {
      middle(p, x);
    } catch (int value) {
      x += in_handler(p, value);
      throw;
    } catch (const Derived &) {
      x ^= in_handler(p, x);
      throw 'n';
    }
  } catch (char letter) {
    x ^= letter;
    ++nested;
  } catch (int) {
    ++rethrown;
  } catch (...) {
    abort();
  }
  return x;
}

static void run() {
  rte_mbuf *packets[32];
  while (int n = rte_eth_rx_burst(0, 0, packets, 32))
    for (int i = 0; i < n; i++) {
      rte_mbuf *p = packets[i];
      uint32_t x = parse(p, p->id);
      x = check(p, x);
      x = again(p, x);
      p->out[0] = parse(p, x);
    }
}

int main() {
  run();
  printf("%u %u %u %u %u %08x\n", cleaned, caught_int, caught_base, rethrown, nested, digest(0));
  show_crossings();
}
// No site in a handler (but on the way to abort), nor where the exception passes.
// CHECK: sites (
// CHECK-NOT: {{ (in_handler|deep|middle) |caught.cpp:(4[89]|5[12]|6[2-9]|7[0-4]) }}
// CHECK: parse  (context 1)
// CHECK-NOT: {{ (in_handler|deep|middle) |caught.cpp:(4[89]|5[12]|6[2-9]|7[0-4]) }}
// CHECK: again  (context 3)
// CHECK-NOT: {{ (in_handler|deep|middle) |caught.cpp:(4[89]|5[12]|6[2-9]|7[0-4]) }}
// CHECK: parse  (context
// CHECK: remark
// CHECK: outputs: identical
// CHECK: exit status 0
