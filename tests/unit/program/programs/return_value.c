// bodies: rte_eth_rx_burst poll_port
#include "packets.h"

static long seen[8];

static int poll_port(int port) {
  struct rte_mbuf *packets[16];
  int n = rte_eth_rx_burst(port, 0, packets, 16);
  for (int i = 0; i < n; i++) {
    seen[packets[i]->id & 7] += packets[i]->length;
    if (packets[i]->id == 333) {
      printf("found %d at %d\n", packets[i]->id, i);
      return packets[i]->length;
    }
    rte_pktmbuf_free(packets[i]);
  }
  return n ? 0 : -1;
}

int main(void) {
  int result;
  while ((result = poll_port(3)) == 0)
    ;
  for (int i = 0; i < 8; i++)
    printf("%ld ", seen[i]);
  printf("-> %d\n", result);
  return 0;
}
