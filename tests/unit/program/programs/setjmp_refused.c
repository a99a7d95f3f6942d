// refused: setjmp-in-loop-function
#include "packets.h"
#include <setjmp.h>

static jmp_buf again;

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      if (setjmp(again))
        continue;
      if (packets[i]->id == 100)
        longjmp(again, 1);
      printf("%d\n", packets[i]->id);
    }
  return 0;
}
