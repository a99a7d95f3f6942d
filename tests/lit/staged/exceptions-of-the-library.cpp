// The library's exceptions, rethrown, nested and held by current_exception: what the analysis does not know of may
// end the program, so packets are suspended after the last of them only.
// RUN: %heddle_cxx -O2 %packets %s -o %t && %stage %t | FileCheck %s
#include "packets.h"

#include <exception>
#include <stdexcept>

static unsigned cleaned, caught_int, caught_text, rethrown, other, held;

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
  if (p->id % 7 == 3) throw std::runtime_error("seven");
  if (p->id % 11 == 3) throw int(x % 1000);
}

__attribute__((noinline)) static void middle(rte_mbuf *p, uint32_t x) {
  Guard guard;
  deep(p, x);
}

__attribute__((noinline)) static uint32_t check(rte_mbuf *p, uint32_t x) noexcept {
  try {
    middle(p, x);
  } catch (const std::runtime_error &error) {
    x = mix(x + error.what()[1]);
    ++caught_text;
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
    } catch (int) {
      throw;
    } catch (const std::exception &) {
      std::exception_ptr kept = std::current_exception();
      if (kept) ++held;
      throw std::logic_error("other");
    }
  } catch (const std::logic_error &error) {
    x ^= error.what()[0];
    ++other;
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
      x = parse(p, x);
      p->out[0] = x;
    }
}

int main() {
  run();
  printf("%u %u %u %u %u %u %08x\n", cleaned, caught_int, caught_text, rethrown, other, held, digest(0));
  show_crossings();
}
// CHECK: sites (
// CHECK-NOT: {{ (deep|middle) |parse  .context 1.}}
// CHECK: again  (context 3)
// CHECK: parse  (context 4)
// CHECK: unknown-external{{.*}} _ZSt17current_exceptionv
// CHECK: outputs: identical
// CHECK: exit status 0
