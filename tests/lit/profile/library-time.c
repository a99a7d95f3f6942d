// What a packet spends in functions outside of the program is timed, and counts in what the models predict: 40,000 octets looked through take at
// least a thousand cycles, which the program's own few instructions do not.
// RUN: %heddle_cc -O2 -I%S/../staged/Inputs -I%S/../../../include %s -o %t
// RUN: %heddle profile %t -- && %heddle plan %t && %python %S/Inputs/predicted.py %t.heddle.d/plan.json above 1000
// RUN: cp %t.heddle.d/profile.hprof %t.a && %heddle profile %t --merge %t.a %t.a -o %t.b
// RUN: %heddle plan %t --profile %t.b && %python %S/Inputs/predicted.py %t.heddle.d/plan.json above 1000
// RUN: %heddle profile %t --accesses 0 -- && %heddle plan %t && %python %S/Inputs/predicted.py %t.heddle.d/plan.json below 1000
#include "packets.h"

static char text[40000];

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  memset(text, 'a', sizeof text - 1);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = (uint32_t)strspn(text + p->id % 16, "ab");
    }
  printf("%08x\n", digest(0));
  return 0;
}
