// bodies: rte_eth_rx_burst run
#include "packets.h"
#include <map>
#include <stdexcept>
#include <string>

struct Guard {
  explicit Guard(int id) : id(id) {}
  ~Guard() {
    if (id % 50 == 0)
      printf("left %d\n", id);
  }
  int id;
};

struct Stop {
  int id;
};

static void check(const rte_mbuf *packet) {
  if (packet->length % 17 == 0)
    throw std::runtime_error("seventeen " + std::to_string(packet->id));
  if (packet->id == 300)
    throw Stop{packet->id};
  if (packet->id == 450)
    throw 5;
}

static int run(std::map<int, long> &sums) {
  rte_mbuf *packets[32];
  long caught = 0;
  std::string log;
  try {
    while (int n = rte_eth_rx_burst(0, 0, packets, 32)) {
      try {
        for (int i = 0; i < n; i++) {
          Guard guard(packets[i]->id);
          try {
            check(packets[i]);
            sums[packets[i]->id % 5] += packets[i]->length;
          } catch (const std::exception &error) {
            caught++;
            log = error.what();
          }
        }
      } catch (const Stop &stop) {
        printf("stop at %d after %ld: %s\n", stop.id, caught, log.c_str());
      }
    }
  } catch (const char *) {
    printf("never\n");
  }
  return caught;
}

int main() {
  std::map<int, long> sums;
  try {
    printf("%d caught\n", run(sums));
  } catch (int value) {
    printf("out of the body: %d\n", value);
  }
  for (auto [key, sum] : sums)
    printf("%d: %ld\n", key, sum);
}
