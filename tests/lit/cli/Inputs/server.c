// Packets through two phases that packets do not share; `wait`: only after a minute.
#include "packets.h"

#include <unistd.h>

__attribute__((noinline)) static void say(const char *what) {
  puts(what);
  fflush(stdout);
}

int main(int count, char **arguments) {
  struct rte_mbuf *packets[32];
  int n;
  if (count > 1 && !strcmp(arguments[1], "wait")) {
    say("waiting");
    sleep(60);
  }
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
    }
  printf("%08x\n", digest(0));
  return 0;
}
