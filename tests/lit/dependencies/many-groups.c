// The last of as many groups as there may be lets pairs through like the first. Found by the fuzzer: the checker
// forgot the sixteenth.
// RUN: rm -rf %t && mkdir -p %t
// RUN: for g in $(seq 30); do echo "[[commute]]"; echo "functions = [\"put$g\"]"; echo 'differs = "nothing"'; \
// RUN:   echo 'why = "a sum"'; done > %t/heddle.toml
// RUN: %heddle_cc -g -O2 %packets %s -o %t/p && %plan %t/p
// RUN: %heddle verify %t/p --dependencies | FileCheck %s
// CHECK: fell inside commuting: {{[1-9][0-9]+}} pairs
// CHECK: order: no dependence is reversed
#include "packets.h"

#define EACH(X) \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) \
  X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30)
#define PUT(n) \
  static uint32_t sum##n; \
  static void put##n(uint32_t x) { sum##n = (sum##n + x) % 65521; }
#define CALL(n) put##n(x + n);
#define ADD(n) + sum##n
EACH(PUT)

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t x = p->length;
      EACH(CALL)
      p->out[0] = x = work(p, p->id);
      p->out[1] = x = work(p, x);
      EACH(CALL)
    }
  printf("%u\n", 0 EACH(ADD));
}
