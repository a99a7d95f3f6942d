// refused: computed-goto-in-loop
#include "packets.h"

int main(void) {
  static void *const steps[] = {&&even, &&odd};
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      goto *steps[packets[i]->id & 1];
    even:
      printf("even %d\n", packets[i]->length);
      continue;
    odd:
      printf("odd %d\n", packets[i]->length);
    }
  return 0;
}
