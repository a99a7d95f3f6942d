// A hundred packets or so in a second and a half.
#include "packets.h"

#include <unistd.h>

int main(void) {
  struct rte_mbuf *packets[8];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 8)) > 0) {
    usleep(20000);
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
    }
  }
  printf("%08x\n", digest(0));
  return 0;
}
