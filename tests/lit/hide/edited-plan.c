// An interleaved plan that was edited is checked: what packets write must not lie in a stage that they pass in any order.
// RUN: %heddle_cc %packets -O2 %s -o %t && %heddle profile %t -- && %heddle plan %t --budget 1000000K
// RUN: %heddle build %t 2>&1 | FileCheck %s --check-prefix=AS-WRITTEN
// AS-WRITTEN-NOT: check of the edited plan
// RUN: %python -c "import json,sys; p=json.load(open(sys.argv[1])); p['checked']=''; json.dump(p,open(sys.argv[1],'w'))" %t.heddle.d/plan.json
// RUN: %heddle build %t 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: check of the edited plan: every cut is legal
// RUN: %python -c "import json,sys; p=json.load(open(sys.argv[1])); [s.update(ordered=False) for b in p['bodies'] for s in b['stages'][1:]]; json.dump(p,open(sys.argv[1],'w'))" %t.heddle.d/plan.json
// RUN: not %heddle build %t 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: error: {{.*}}packets touch last in a stage that they pass in any order
// RUN: %heddle plan %t --budget 1000000K
// RUN: %python -c "import json,sys; p=json.load(open(sys.argv[1])); [l.update(into=9) for b in p['bodies'] for l in b['loads']]; json.dump(p,open(sys.argv[1],'w'))" %t.heddle.d/plan.json
// RUN: not %heddle build %t 2>&1 | FileCheck %s --check-prefix=INTO
// INTO: error: {{.*}}the plan has a prefetch into cache level 9
// INTO: hint: 'into' is 1, 2 or 3
// RUN: %heddle plan %t --budget 1000000K
// RUN: %python -c "import json,sys; p=json.load(open(sys.argv[1])); [s.update(ordered=False) for b in p['bodies'] for s in b['stages'][1:]]; json.dump(p,open(sys.argv[1],'w'))" %t.heddle.d/plan.json
//
// The dependency checker, which takes a plan as it is, sees packets that pass each other within a stage.
// RUN: not %heddle verify %t --dependencies -- > %t.reversed 2>&1; FileCheck %s --check-prefix=REVERSED < %t.reversed
// REVERSED: edited-plan.c:[[@LINE+18]]
// REVERSED: error: {{.*}}the plan reverses the order of accesses that conflict
#include "packets.h"

static uint32_t table[4096], last;

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
      }
      if (x % 3) last = mix(last ^ x);
    }
  printf("%08x\n", last);
  return 0;
}
