// A record per flow, found by a look-up and used all along the packet's way, in an order that its next value depends on. The
// table gives records away to other flows when it is full.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/keyed.toml %t/heddle.toml
// RUN: %heddle_cc -O2 -g %packets %s -o %t/p && %stage %t/p | FileCheck %s
// RUN: env HEDDLE_REPORT=%t/stages %t/p.heddle && FileCheck %s --check-prefix=REPORT < %t/stages
// RUN: env HEDDLE_REPORT=%t/none/stages %t/p.heddle 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle verify --dependencies %t/p -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify --dependencies --staged %t/p -- | FileCheck %s --check-prefix=STAGED
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain --trust proven | FileCheck %s --check-prefix=PROVEN
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain --without keyed | FileCheck %s --check-prefix=PROVEN
//
// As annotated in the source: the objects that the key points to.
// RUN: rm %t/heddle.toml && %heddle_cc -O2 -g -DANNOTATED %packets %s -o %t/a && %stage %t/a | FileCheck %s --check-prefix=ANNOTATED
// RUN: %heddle verify --dependencies %t/a -- | FileCheck %s --check-prefix=ORDER
//
// What is declared and not true: packets also touch another flow's record.
// RUN: cp %S/Inputs/keyed.toml %t/heddle.toml && %heddle_cc -O2 -g -DANOTHER %packets %s -o %t/q && %heddle profile %t/q --
// RUN: %heddle plan %t/q --policy finest --budget 1K && not %heddle verify --dependencies %t/q -- | FileCheck %s --check-prefix=WRONG
#include "packets.h"

enum { FLOWS = 8 };
struct flow {
  uint32_t id;
  uint32_t seen;
  uint64_t state;
  uint64_t bytes;
};
static struct flow table[FLOWS];
static uint32_t next_free;

__attribute__((noinline)) static struct flow *new_flow(uint32_t id) {
  struct flow *flow = &table[next_free++ % FLOWS];
#ifdef ANNOTATED
  HEDDLE_NEW_KEY(flow);
#endif
  flow->id = id;
  return flow;
}

__attribute__((noinline)) static struct flow *find_flow(uint32_t id) {
  struct flow *flow;
  for (unsigned i = 0; i < FLOWS; i++)
    if (table[i].id == id) return &table[i];
  flow = new_flow(id);
  flow->seen = 0;
  flow->state = id;
  flow->bytes = 0;
  return flow;
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t id = 1 + p->flow % 6 + (p->id % 50 == 0) * p->id;
      struct flow *flow = find_flow(id);
#ifdef ANNOTATED
      HEDDLE_KEY(flow);
#endif
      p->out[0] = work(p, p->id);
      flow->state = flow->state * 31 + p->out[0];
      p->out[1] = work(p, (uint32_t)flow->state);
      flow->seen++;
      p->out[2] = work(p, flow->seen);
#ifdef ANOTHER
      flow = &table[(flow - table + 1) % FLOWS];
#endif
      flow->state ^= p->out[2];
      p->out[3] = work(p, (uint32_t)flow->state);
      flow->bytes += p->out[3];
      p->out[4] = work(p, (uint32_t)flow->bytes);
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: keyed find_flow(): a flow's record is used by its own packets only
// CHECK: packets with the same find_flow() keep their order from stage
// CHECK: outputs: identical
// REPORT: main ({{.*}}keyed.c:{{[0-9]+}}), process {{[0-9]+}}
// REPORT: stage visits packets per visit left out waited ns/packet
// REPORT-NEXT: 0 {{[1-9][0-9]*}} 499 {{[1-9][0-9.]*}} 0 0.0
// REPORT: {{[1-9][0-9]* [1-9][0-9]* [1-9][0-9]*}} {{[1-9][0-9.]*}} {{[1-9][0-9]*}} {{[1-9][0-9]*\.[0-9]$}}
// NOWHERE: heddle: error: cannot write the report of the stages: {{.*}}none/stages: No such file or directory
// FREE: keyed (
// FREE: {{.*}}heddle.toml:2: a flow's record is used by its own packets only
// ORDER: fell inside keyed:
// ORDER: order: no dependence is reversed
// STAGED: order: no dependence is reversed
// PROVEN-NOT: heddle.toml:2:
// ANNOTATED: keyed HEDDLE_KEY: annotated in the program's source
// ANNOTATED: outputs: identical
// WRONG: table
