// Loads that stay: what lies behind them has to be in packet order, or a packet might leave the loop there.
// RUN: %heddle_cc -DWRITTEN %packets -O2 %s -o %t.w && %heddle profile %t.w -- && %heddle plan %t.w --budget 1000000K --print | FileCheck %s --check-prefix=WRITTEN
// RUN: %heddle_cc -DLEAVES %packets -O2 %s -o %t.l && %heddle profile %t.l -- && %heddle plan %t.l --budget 1000000K --print | FileCheck %s --check-prefix=LEAVES
// RUN: %heddle_cc -DLARGE %packets -O2 %s -o %t.v && %heddle profile %t.v -- && %heddle plan %t.v --budget 1000000K --print | FileCheck %s --check-prefix=LARGE
// RUN: %heddle_cc -DUNKNOWN %packets -O2 %s -o %t.u && %heddle profile %t.u -- && %heddle plan %t.u --budget 1000000K --print | FileCheck %s --check-prefix=UNKNOWN
// LARGE: left {{.*}}: each packet has 8192 bytes of variables, and more than 6144 are too many
// UNKNOWN: left {{.*}}: a variable has a size that is known at run time only ({{.*}}not-hidden.c:{{[0-9]+}})
// WRITTEN: left {{.*}}: it lies in code that packets pass in order, because of table
// WRITTEN: remark [load-not-hidden]
// LEAVES: left {{.*}}: it lies in code that packets pass in order, because of where packets begin or leave the loop
#include "packets.h"

static uint32_t table[4096];

__attribute__((noinline)) static uint32_t sum(const uint32_t *words, uint32_t count, uint32_t x) {
  for (uint32_t i = 0; i < count; i++) x = x * 31 + words[i];
  return x;
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  for (uint32_t i = 0; i < 4096; i++) table[i] = mix(i);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t x = p->id;
      for (uint32_t step = 0; step < p->length % 11; step++) {
        HEDDLE_EXPENSIVE(&table[x & 4095]);
        x = table[x & 4095];
#ifdef WRITTEN
        table[x & 4095] ^= step;
#endif
      }
#ifdef LARGE
      uint32_t words[2048];
      for (uint32_t i = 0; i < 2048; i++) words[i] = x ^ i;
      x = sum(words, 2048, x);
#endif
#ifdef UNKNOWN
      uint32_t words[1 + p->length];
      for (uint32_t i = 0; i <= p->length; i++) words[i] = x ^ i;
      x = sum(words, 1 + p->length, x);
#endif
      p->out[0] = x;
#ifdef LEAVES
      if (x == 0x12345678)
        exit(3);
#endif
    }
  printf("%08x\n", digest(0));
  return 0;
}
