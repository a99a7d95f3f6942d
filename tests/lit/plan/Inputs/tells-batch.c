// Its output is another one where packets are staged: it says so itself.
#include "packets.h"

int main(void) {
  struct rte_mbuf *packets[32];
  const char *batch = getenv("HEDDLE_BATCH");
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
    }
  printf("batch %s\n", batch ? batch : "none");
  return 0;
}
