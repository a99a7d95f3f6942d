// Loads that stay: what lies behind them has to be in packet order, or a packet might leave the loop there.
// RUN: %heddle_cc -DWRITTEN %packets -O2 %s -o %t.w && %heddle profile %t.w -- && %heddle plan %t.w --budget 1000000K --print | FileCheck %s --check-prefix=WRITTEN
// RUN: %heddle_cc -DLEAVES %packets -O2 %s -o %t.l && %heddle profile %t.l -- && %heddle plan %t.l --budget 1000000K --print | FileCheck %s --check-prefix=LEAVES
// WRITTEN: left {{.*}}: it lies in code that packets pass in order, because of table
// WRITTEN: remark [load-not-hidden]
// LEAVES: left {{.*}}: it lies in code that packets pass in order, because of where packets begin or leave the loop
#include "packets.h"

static uint32_t table[4096];

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
      p->out[0] = x;
#ifdef LEAVES
      if (x == 0x12345678)
        exit(3);
#endif
    }
  printf("%08x\n", digest(0));
  return 0;
}
