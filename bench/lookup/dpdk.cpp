#include "dpdk.h"

#include <rte_eal.h>
#include <rte_errno.h>

#include <cstdio>

namespace lookup {

bool start_dpdk() {
  static const bool started = [] {
    char words[][16] = {"lookup", "--no-huge",   "--no-shconf", "--no-pci",      "-m",
                        "2048",   "--log-level", "4",           "--no-telemetry"};
    char* arguments[sizeof words / sizeof *words];
    for (int i = 0; char* word : words)
      arguments[i++] = word;
    if (rte_eal_init(int(sizeof words / sizeof *words), arguments) >= 0) return true;
    std::printf("SKIP: DPDK cannot be started: %s\n", rte_strerror(rte_errno));
    return false;
  }();
  return started;
}

} // namespace lookup
