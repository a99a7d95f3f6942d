// A packet on a rare path is given a fresh record, early or late on its way, and fills it; later packets use it. Nobody who is ahead of
// that packet has the record, as declared; where somebody has, the program ends and says so.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/keyed-fresh-alone.toml %t/heddle.toml
// RUN: %heddle_cc -O2 -g %packets %s -o %t/early && env STAGE_PLAN="--rare 0.1" %stage %t/early | FileCheck %s
// RUN: %heddle verify --dependencies %t/early -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle_cc -O2 -g -DLATE %packets %s -o %t/late && env STAGE_PLAN="--rare 0.1" %stage %t/late | FileCheck %s
// RUN: %heddle verify --dependencies %t/late -- | FileCheck %s --check-prefix=ORDER
// RUN: %heddle_cc -O2 -g -DLATE -DTAKEN %packets %s -o %t/taken && %heddle profile %t/taken --
// RUN: %heddle plan %t/taken --rare 0.1 --policy finest --budget 1K && %heddle build %t/taken -o %t/taken.heddle
// RUN: not --crash %t/taken.heddle 2>&1 | FileCheck %s --check-prefix=TAKEN
#include "packets.h"

#ifdef TAKEN
enum { RECORDS = 64, AHEAD = 0 };
#else
enum { RECORDS = 64, AHEAD = 8 };
#endif
struct flow {
  uint64_t state, bytes;
};
static struct flow table[RECORDS];

// Bursts have 32 packets at most; the records of the block after the next are nobody's yet.
__attribute__((noinline)) static struct flow *find_flow(const struct rte_mbuf *p) {
  uint32_t record = (p->id / 64 * 4 + p->flow % 4) % RECORDS;
#ifdef TAKEN // packets that wait for each other, so that others pass them
  if (p->flow % 4 == 3 || p->length % 89 == 7) record = RECORDS - 1;
#endif
  return &table[record];
}

__attribute__((noinline)) static struct flow *new_flow(const struct rte_mbuf *p) {
  return &table[(p->id / 64 * 4 + AHEAD + p->flow % 4) % RECORDS];
}

__attribute__((noinline)) static void open_flow(struct rte_mbuf *p) {
  struct flow *flow = new_flow(p);
  flow->state = mix(p->out[0]);
  flow->bytes = 1;
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      struct flow *flow = find_flow(p);
      p->out[0] = work(p, p->id);
#ifndef LATE
      if (p->length % 89 == 7) open_flow(p);
#endif
      flow->state = flow->state * 31 + p->out[0];
      p->out[1] = work(p, (uint32_t)flow->state);
      flow->bytes += p->out[1];
      p->out[2] = work(p, (uint32_t)flow->bytes);
#ifdef LATE
      if (p->length % 89 == 7) open_flow(p);
#endif
      flow->state ^= p->out[2];
      p->out[3] = work(p, (uint32_t)flow->state);
    }
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: packets with the same find_flow() keep their order from stage
// CHECK: outputs: identical
// CHECK: alone {{[1-9]}}
// ORDER: order: no dependence is reversed
// TAKEN: heddle: error: a packet on a rare path was given a fresh record that a later packet has used already
