// Connections that time out are kept in a sorted list, into which packets insert at the beginning and at the end of their
// way. As written that is one window; the order of insertion shows nowhere but in the order of equal keys, and nobody
// looks at that. A read of the list outside of its functions holds the insertions together all the same.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/commuting.toml %t/timers.toml
// RUN: %heddle_cc -O2 %packets %s -o %t/p && env STAGE_BODY="--config %t/timers.toml" %stage %t/p | FileCheck %s
// RUN: %heddle profile %t/p -- && %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=WINDOW
//
// The file beside the program is found, and can be left out of account.
// RUN: cp %t/timers.toml %t/heddle.toml && %heddle profile %t/p --
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain --trust proven 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain --without commuting | FileCheck %s --check-prefix=WINDOW
//
// The plan carries its declarations, so it does not need the file again. What it trusts is part of what is checked.
// RUN: %heddle plan %t/p --policy finest --budget 1K && rm %t/heddle.toml
// RUN: %heddle build %t/p 2>&1 | FileCheck %s --check-prefix=BUILD
// RUN: sed -i 's/"trust": "declared"/"trust": "proven"/' %t/p.heddle.d/plan.json
// RUN: not %heddle build %t/p 2>&1 | FileCheck %s --check-prefix=ILLEGAL
//
// RUN: cp %t/timers.toml %t/heddle.toml && %heddle_cc -DPEEK -O2 %packets %s -o %t/peek && %heddle profile %t/peek --
// RUN: %heddle plan %t/peek --policy finest --budget 1K --explain | FileCheck %s --check-prefix=WINDOW
#include "packets.h"

struct timer { struct timer *next; uint32_t when; };
static struct timer *timers;

static void add_timer(uint32_t when) {
  struct timer *timer = malloc(sizeof *timer), **at = &timers;
  timer->when = when;
  while (*at && (*at)->when < when) at = &(*at)->next;
  timer->next = *at;
  *at = timer;
}

int main(void) {
  struct rte_mbuf *packets[32];
  uint32_t sum = 0;
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      add_timer(p->length);
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
#ifdef PEEK
      p->out[1] ^= timers->when;
#endif
      p->out[2] = work(p, p->out[1]);
      p->out[3] = work(p, p->out[2]);
      add_timer(p->out[3] % 1000);
    }
  show_crossings();
  for (struct timer *timer = timers; timer; timer = timer->next) sum = mix(sum ^ timer->when);
  printf("%08x %08x\n", digest(0), sum);
  return 0;
}
// CHECK: trust declared, with 1 of 1 declarations of {{.*}}timers.toml
// CHECK: commute add_timer (may differ: iteration order): timers of one millisecond may expire in any order
// CHECK: into stage {{.*}} work (context 4)
// CHECK: outputs: identical
// WINDOW: timers
// WINDOW-NEXT: holds together
// FREE: trust declared, with 1 of 1 declarations
// FREE: commuting (
// FREE-NEXT: timers: only used in calls of add_timer, which commute ({{.*}}heddle.toml:2; may differ: iteration order): timers of one
// PROVEN: trust proven, with 0 of 1 declarations
// PROVEN: timers
// PROVEN-NEXT: holds together
// BUILD-NOT: check of the edited plan
// BUILD: heddle: build:
// ILLEGAL: error: the plan opens other calls
