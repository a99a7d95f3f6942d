// bodies: rte_eth_rx_burst main
#include "packets.h"

int main(void) {
  struct rte_mbuf *packets[32];
  unsigned hash = 1, rounds = 0;
  for (;;) {
    int n = rte_eth_rx_burst(0, 1, packets, 32);
    if (!n)
      goto done;
    for (int i = 0; i < n; i++) {
      unsigned value = packets[i]->length;
      for (int bit = 0; bit < 8; bit++) {
        if (value & 1 << bit)
          hash = hash * 31 + bit;
        for (unsigned k = 0; k < (value & 3); k++) {
          rounds++;
          if (rounds == 9000)
            goto overflow;
        }
      }
      if (value == 77)
        goto skip_rest;
      printf("%u\n", hash);
    }
  skip_rest:
    printf("batch %u %u\n", hash, rounds);
  }
overflow:
  printf("overflow %u %u\n", hash, rounds);
done:
  printf("done %u %u\n", hash, rounds);
  return 0;
}
