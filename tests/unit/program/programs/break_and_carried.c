// bodies: rte_eth_rx_burst main
#include "packets.h"

static int inspect_packet(struct rte_mbuf *packet, int *errors) {
  if (packet->length % 11 == 0)
    ++*errors;
  return packet->length > 100;
}

int main(void) {
  struct rte_mbuf *packets[32];
  long bytes = 0, last = -1, gaps = 0;
  int errors = 0, stopped = 0;
  while (!stopped) {
    uint16_t n = rte_eth_rx_burst(0, 0, packets, 32);
    if (n == 0)
      break;
    uint16_t i;
    for (i = 0; i < n; i++) {
      int long_one = inspect_packet(packets[i], &errors);
      if (last >= 0 && packets[i]->length < last)
        gaps++;
      last = packets[i]->length;
      if (!long_one)
        continue;
      bytes += packets[i]->length;
      if (packets[i]->id == 400) {
        stopped = 1;
        break;
      }
    }
    printf("batch ended at %d of %d: %ld bytes, %ld gaps, last %ld, %d errors\n", i, n, bytes, gaps, last, errors);
  }
  return bytes % 200;
}
