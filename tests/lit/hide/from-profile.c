// Loads that nobody named: the simulated caches tell. In caches that hold the table packets wait for the last load alone, and run the loop side
// by side; in small ones each step waits, and is hidden; where nothing was simulated nothing is known, and the loop is put back as it was.
// RUN: %heddle_cc -O2 %packets %s -o %t && %heddle profile %t --dcache 64K:16,128K:16,256K:16 --
// RUN: %heddle plan %t --budget 1000000K --print | FileCheck %s --check-prefix=FITS
// RUN: %heddle build %t && nm %t.heddle | FileCheck %s --check-prefix=INTERLEAVED
// RUN: %heddle verify %t --
// RUN: %heddle profile %t --dcache 1K:4,2K:4,4K:4 --
// RUN: %heddle plan %t --budget 1000000K --print | FileCheck %s --check-prefix=WAITS
// RUN: %heddle build %t && nm %t.heddle | FileCheck %s --check-prefix=INTERLEAVED
// RUN: %heddle verify %t --batches 0,1,2,7,32,64 -- && %heddle verify %t --dependencies --
// RUN: %heddle profile %t --accesses 0 -- && %heddle plan %t --budget 1000000K --print | FileCheck %s --check-prefix=UNKNOWN
// RUN: %heddle build %t && nm %t.heddle | FileCheck %s --check-prefix=RESTORED
// RUN: not %heddle profile %t --dcache 1K:4 -- 2>&1 | FileCheck %s --check-prefix=WRONG
// FITS: hidden {{.*}}from-profile.c:[[@LINE+23]] {{.*}} packets run the loop around it side by side
// UNKNOWN: not staged
// UNKNOWN-NOT: expensive loads
// RESTORED-NOT: heddle.body.0
// WAITS: expensive loads
// WAITS: hidden {{.*}}from-profile.c:[[@LINE+18]] {{.*}} times a packet, {{[0-9]+}} cycles each (simulated): stepping aside takes less time
// WAITS: packets overtake each other in stages 1
// INTERLEAVED: heddle.body.0.interleaved
// WRONG: error: --dcache: '1K:4' has 1 levels of data cache, not three
#include "packets.h"

static uint32_t table[1 << 12];

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  for (uint32_t i = 0; i < 1 << 12; i++) table[i] = mix(i);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t x = p->id;
#pragma clang loop unroll(disable)
      for (int step = 0; step < 100; step++)
        x = table[x & 0xfff] + step;
      p->out[0] = x;
    }
  printf("%08x\n", digest(0));
  return 0;
}
