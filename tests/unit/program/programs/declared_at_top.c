// Variables of C89 programs live at the top of the function; those of one iteration are still its own.
// bodies: rte_eth_rx_burst main
#include "packets.h"
#include <string.h>

struct key {
  int a, b;
};

static int table[64];

static int hash_key(const struct key *key) { return (key->a * 7 + key->b) & 63; }

int main(void) {
  struct rte_mbuf *packets[32], *packet;
  struct key key;
  char text[40];
  int i, n, slot, total;
  total = 0;
  do {
    n = rte_eth_rx_burst(0, 0, packets, 32);
    for (i = 0; i < n; ++i) {
      packet = packets[i];
      memset(&key, 0, sizeof key);
      key.a = packet->id;
      key.b = packet->length;
      slot = hash_key(&key);
      table[slot]++;
      total += table[slot];
      if (total % 13 == 0) {
        snprintf(text, sizeof text, "%d/%d", slot, total);
        puts(text);
      }
      rte_pktmbuf_free(packet);
    }
  } while (n > 0);
  printf("%d %s\n", total, text);
  return 0;
}
