// A packet loop that a packet may leave when it is done: the next one may not start before that, so nothing can be cut. The user
// may say that packets that have begun by then are to end. Whether the loop is left by the last packet of a burst or by
// none, the output is the original's; where others have begun, they end first, and the checker counts it.
// RUN: rm -rf %t && mkdir -p %t && %heddle_cc -O2 %packets %s -o %t/p && %heddle profile %t/p --
// RUN: %heddle plan %t/p --policy finest --budget 1K --print --explain > %t/strict && FileCheck %s --check-prefix=STRICT < %t/strict
// RUN: { echo '[[declared]]'; echo 'location = "exit of the packet loop at its end"'; \
// RUN:   echo 'why = "the rest of a burst may be handled, too"'; } > %t/heddle.toml
// RUN: %stage %t/p | FileCheck %s
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle verify %t/p --optimized %t/p.heddle -- 8 | FileCheck %s --check-prefix=SAME
// RUN: env HEDDLE_BATCH=0 %t/p.heddle 4 | FileCheck %s --check-prefix=DROPPED
// RUN: env HEDDLE_BATCH=32 HEDDLE_LEAST_BATCH=2 %t/p.heddle 4 | FileCheck %s --check-prefix=ENDED
// RUN: %heddle verify --dependencies %t/p -- 8 | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify --dependencies %t/p -- 4 | FileCheck %s --check-prefix=INSIDE

// An exit with code of its own is named by its place.
// RUN: rm -rf %t.place && mkdir -p %t.place && %heddle_cc -O2 -DMARK %packets %s -o %t.place/p && %heddle profile %t.place/p --
// RUN: %heddle plan %t.place/p --policy finest --budget 1K --json > %t.place/json && grep -o -m 1 'exit of the packet loop at [^ ,"]*' %t.place/json > %t.place/exit
// RUN: { echo '[[declared]]'; sed 's/.*/location = "&"/' %t.place/exit; echo 'why = "as above"'; } > %t.place/heddle.toml
// RUN: %stage %t.place/p | FileCheck %s

// What the loop hands on is the business of one packet: then an exit cannot come late.
// RUN: mkdir -p %t.hands && %heddle_cc -O2 -DHANDS_ON %packets %s -o %t.hands/p && %heddle profile %t.hands/p --
// RUN: %heddle plan %t.hands/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=HANDS
#include "packets.h"

static int burst(struct rte_mbuf **packets, int n, uint32_t last) {
  int i, left = 0;
  for (i = 0; i < n; i++) {
    struct rte_mbuf *p = packets[i];
    p->out[0] = work(p, p->id);
    p->out[1] = work(p, p->out[0]);
    if (p->id == last) {
#ifdef HANDS_ON
      left = (int)p->out[1];
#endif
#ifdef MARK
      p->out[7] = work(p, 1);
#endif
      break;
    }
  }
  return left;
}

int main(int count, char **arguments) {
  struct rte_mbuf *packets[32];
  const uint32_t last = count > 1 ? (uint32_t)atoi(arguments[1]) : PACKETS;
  int n, done = 0, left = 0;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0) left += burst(packets, n, last);
  show_crossings();
  for (int i = 0; i < PACKETS; i++) done += pool[0][i].out[1] != 0;
  printf("%d done, %d, %08x\n", done, left, digest(0));
  return 0;
}
// STRICT: control of the packet loop
// STRICT: be freed by nothing, unless the exits were decided in the first stage; declared, where
// STRICT: exit of the packet
// CHECK: sites (
// CHECK: outputs: identical
// CHECK: crossings {{[1-9]}}
// FREE: exit of the packet loop at {{.*}}heddle.toml:2: the rest of a burst
// SAME: outputs: identical
// DROPPED: 496 done
// ENDED: 500 done
// ORDER: order: no dependence is reversed
// INSIDE: fell inside declared:
// INSIDE: order: no dependence is reversed
// HANDS: nothing, unless the exits were decided in the first stage
// HANDS-NOT: exit of the packet loop at
