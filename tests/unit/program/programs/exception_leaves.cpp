// bodies: rte_eth_rx_burst run
// The loop's only landing pad is a cleanup that goes on to the caller: in the loop's function none is left.
#include "packets.h"

struct Guard {
  ~Guard() { left++; }
  static int left;
};
int Guard::left;

static __attribute__((noinline)) void check(const rte_mbuf *packet) {
  if (packet->id % 100 == 42)
    throw packet->id;
}

static __attribute__((noinline)) int run() {
  rte_mbuf *packets[32];
  int done = 0;
  while (int n = rte_eth_rx_burst(0, 0, packets, 32))
    for (int i = 0; i < n; i++) {
      Guard guard;
      check(packets[i]);
      done++;
    }
  return done;
}

int main() {
  for (int more = 1; more;) {
    try {
      printf("%d done\n", run());
      more = 0;
    } catch (int id) {
      printf("stopped at %d\n", id);
    }
  }
  printf("%d left\n", Guard::left);
}
