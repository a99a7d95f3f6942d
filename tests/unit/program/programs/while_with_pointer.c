// bodies: rte_eth_rx_burst main
#include "packets.h"

int main(void) {
  struct rte_mbuf *packets[32];
  long sum = 0;
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0) {
    struct rte_mbuf **at = packets, **end = packets + n;
    while (at < end) {
      struct rte_mbuf *packet = *at++;
      for (struct rte_mbuf *p = packet; p; p = p->next)
        sum += p->length ^ p->id;
      if (sum & 1)
        printf("odd %ld\n", sum);
    }
    while (n--)
      rte_pktmbuf_free(packets[n]);
  }
  printf("%ld\n", sum);
  return 0;
}
