// A plan says which host it was made for: none that was calibrated, a stored one, this machine, or that this machine has changed. The
// second level of cache is where the stored hosts know what a load waits.
// RUN: rm -rf %t && mkdir -p %t/hosts && cd %t && %heddle_cc -O2 %packets %s -o prog
// RUN: %heddle profile prog --dcache 1K:4,2M:4,4M:4 --
// RUN: %heddle plan prog --print | FileCheck %s --check-prefix=NONE
// RUN: %heddle plan prog --print --host xeon-gold-6248r | FileCheck %s --check-prefix=STORED
// RUN: %python %S/Inputs/own.py stored %heddle hosts
// RUN: env HEDDLE_HOSTS=%t/hosts %heddle plan prog --print | FileCheck %s --check-prefix=CHANGED
// RUN: %python %S/Inputs/own.py same %heddle hosts
// RUN: env HEDDLE_HOSTS=%t/hosts %heddle plan prog --print | FileCheck %s --check-prefix=OWN
// RUN: %python %S/Inputs/own.py broken %heddle hosts
// RUN: env HEDDLE_HOSTS=%t/hosts not %heddle plan prog 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: %heddle build prog && %heddle verify prog --
// NONE: host: none calibrated: built-in figures
// NONE: {{ 13}} cycles each (simulated)
// STORED: host: Intel Xeon Gold 6248R (NanoPL's machine)
// STORED: {{ 11}} cycles each (simulated)
// CHANGED: host: none calibrated: built-in figures
// CHANGED: remark [host-changed] {{.*}}hosts/{{.*}}.json: this machine is not the one that was calibrated: its CPU is
// OWN: {{host: .* \(calibrated 2026-01-01T00:00:00Z\)}}
// OWN: {{ 11}} cycles each (simulated)
// BROKEN: heddle: error: {{.*}}hosts/{{.*}}.json: not a host
// BROKEN-NEXT: heddle: hint:
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
