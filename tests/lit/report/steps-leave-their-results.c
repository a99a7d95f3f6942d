// Every step adds its part to the report; what no step has made yet is named with the command that would make it.
// RUN: rm -rf %t.heddle.d && %heddle_cc -g -O2 %packets %s -o %t
// RUN: not %heddle report %t --text 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: {{.*}}steps-leave-their-results.c.tmp.heddle.d: there is no such work folder
// NOTHING: hint: `heddle optimize PROGRAM -- ARGS` makes it
//
// RUN: %heddle profile %t -- && not %heddle report %t --text 2>&1 | FileCheck %s --check-prefix=NO-PLAN
// NO-PLAN: hint: make it with `heddle plan PROGRAM`
//
// RUN: %heddle plan %t --policy finest && %heddle build %t && %heddle report %t --text | FileCheck %s --check-prefix=PLANNED
// PLANNED: applied {{[2-9]}} stages
// PLANNED-NOT: outputs
// PLANNED: where a packet's cycles go (modelled)
// PLANNED: the rest
// PLANNED: misses per thousand instructions (simulated)
// PLANNED: 32K:8
// PLANNED: heddle.body.0: main ({{.*}}.c:
// PLANNED: 500 packets
// PLANNED: stage 0
// PLANNED: window {{.*}} total
// PLANNED: would be freed by: {{.*}}
// PLANNED: batches of heddle.body.0: {{[0-9]+}} in the sample
// PLANNED: left out: outputs: there is no verify.json; `heddle verify PROGRAM -- ARGS` compares them
// PLANNED: left out: speed: there is no bench.json; `heddle bench PROGRAM -- ARGS` measures it
//
// RUN: %heddle verify %t -- && %heddle bench %t --pairs 7 --metric 'took=([0-9]+)' -- && %heddle report %t --text | FileCheck %s --check-prefix=MEASURED
// MEASURED: outputs identical
// MEASURED: speed to original {{[0-9.]+ \[[0-9.]+, [0-9.]+\]}} at {{9[0-9.]+}} % (measured)
// MEASURED: with staging off
// MEASURED-NOT: left out: speed
//
// The folder does as well as the program; JSON has the same figures and the source lines.
// RUN: %heddle report %t.heddle.d --json %t.json && FileCheck %s --check-prefix=JSON < %t.json
// JSON-DAG: "format": "heddle-report"
// JSON-DAG: "outputs": "identical"
// JSON-DAG: "rounds": 7
// JSON-DAG: {{"      total \+= p->out\[0\]; // here"}}
// JSON-DAG: "kind": "site"
//
// Another plan makes the measurement old.
// RUN: %heddle plan %t --policy none && %heddle report %t --text | FileCheck %s --check-prefix=OLD
// OLD: left out: outputs: verify.json is older than the plan
// OLD: left out: speed: bench.json is older than the plan
#include "packets.h"

static uint32_t total;

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = mix(p->id);
      for (int k = 0; k < 20; k++) p->out[0] = mix(p->out[0] + k);
      total += p->out[0]; // here
      if (total & 1) total ^= p->flow;
      for (int k = 0; k < 20; k++) p->out[1] = mix(p->out[1] + p->out[0]);
    }
  uint32_t sum = 0;
  for (int i = 0; i < PACKETS; i++) sum = sum * 31 + pool[0][i].out[1];
  printf("%08x %08x took=7\n", total, sum);
  return 0;
}
