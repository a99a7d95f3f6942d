// Second look-ups that are not fetched with the first: their address is made of what the first brings, depends on the way there or on the
// iteration before, or making it might trap for packets that do not need it.
// RUN: %heddle_cc -DNEEDED -O2 %packets %s -o %t.n && %heddle profile %t.n -- && %heddle plan %t.n --budget 1000000K --print > %t.n.plan
// RUN: FileCheck %s --check-prefixes=CHECK,NEEDED < %t.n.plan && %heddle build %t.n && %heddle verify %t.n --batches 0,1,2,7,32,64 --
// RUN: %heddle_cc -DBY_WAY -O2 %packets %s -o %t.w && %heddle profile %t.w -- && %heddle plan %t.w --budget 1000000K --print > %t.w.plan
// RUN: FileCheck %s --check-prefixes=CHECK,BY-WAY < %t.w.plan && %heddle build %t.w && %heddle verify %t.w --batches 0,1,2,7,32,64 --
// RUN: %heddle_cc -DCARRIED -O2 %packets %s -o %t.c && %heddle profile %t.c -- && %heddle plan %t.c --budget 1000000K --print > %t.c.plan
// RUN: FileCheck %s --check-prefixes=CHECK,CARRIED < %t.c.plan && %heddle build %t.c && %heddle verify %t.c --batches 0,1,2,7,32,64 --
// RUN: %heddle_cc -DDIVIDES -O2 %packets %s -o %t.d && %heddle profile %t.d -- && %heddle plan %t.d --budget 1000000K --print > %t.d.plan
// RUN: FileCheck %s --check-prefixes=CHECK,DIVIDES < %t.d.plan && %heddle build %t.d && %heddle verify %t.d --batches 0,1,2,7,32,64 --
// RUN: %heddle_cc -DFAULTS -O2 %packets %s -o %t.f && %heddle profile %t.f -- && %heddle plan %t.f --budget 1000000K --print > %t.f.plan
// RUN: FileCheck %s --check-prefixes=CHECK,FAULTS < %t.f.plan && %heddle build %t.f && %heddle verify %t.f --batches 0,1,2,7,32,64 --
// CHECK-NOT: fetched along with {{.*}}, where
// CHECK: load-not-along
// NEEDED-SAME: {{.*}}: its address is made of what another expensive load brings
// BY-WAY-SAME: {{.*}}: its address depends on the way there
// CARRIED-SAME: {{.*}}: its address depends on the way there
// DIVIDES-SAME: {{.*}}: making its address might trap there
// FAULTS-SAME: {{.*}}: its address is made of a load that might fault there
#include "packets.h"

static uint32_t table[1 << 16];
static uint32_t *numbers[32];

static uint32_t look_up(uint32_t key) {
  const uint32_t *at = &table[mix(key) & 0xffff];
  HEDDLE_EXPENSIVE(at);
  return *at;
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  for (uint32_t i = 0; i < 1 << 16; i++) table[i] = mix(i);
  for (uint32_t i = 1; i < 32; i++) *(numbers[i] = malloc(4)) = mix(i);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t x = look_up(p->id), kind = p->length & 31;
#ifdef NEEDED
      x += look_up(x + p->flow);
#endif
#ifdef BY_WAY
      uint32_t key = p->flow;
      if (x & 1) p->out[1] = key = mix(p->length);
      x += look_up(key);
#endif
#ifdef CARRIED
      uint32_t key = p->flow;
#pragma clang loop unroll(disable)
      for (uint32_t step = 0; step < 1 + kind % 3; step++) x += look_up(key += step + kind);
#endif
#ifdef DIVIDES
      if (kind) x += look_up(mix(p->id) / kind);
#endif
#ifdef FAULTS
      if (kind) x += look_up(p->id + *numbers[kind]);
#endif
      p->out[0] = x;
    }
  printf("%08x\n", digest(0));
  return 0;
}
