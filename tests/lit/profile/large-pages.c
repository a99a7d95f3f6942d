// Random reads of 64 MiB on small pages take a walk of the page table each; on large ones, where the kernel gives any, none does.
// RUN: %heddle_cc -O2 -I%S/../staged/Inputs -I%S/../../../include %s -o %t
// RUN: %heddle profile %t --stdout %t.small --work %t.small.d -- small && %heddle plan %t --work %t.small.d
// RUN: %heddle profile %t --stdout %t.large --work %t.large.d -- large && %heddle plan %t --work %t.large.d
// RUN: %python %S/Inputs/walks.py %t.small %t.small.d/plan.json && %python %S/Inputs/walks.py %t.large %t.large.d/plan.json
#include "packets.h"

#include <sys/mman.h>

static const size_t bytes = 64 << 20;

// Of all of the program's memory, in KiB.
static unsigned long on_large_pages(void) {
  char line[256];
  unsigned long sum = 0, found;
  FILE *file = fopen("/proc/self/smaps", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "AnonHugePages: %lu kB", &found) == 1) sum += found;
  if (file) fclose(file);
  return sum;
}

int main(int count, char **arguments) {
  struct rte_mbuf *packets[32];
  uint32_t *table = aligned_alloc(2 << 20, bytes);
  int n;
  if (!table || count < 2) return 1;
  madvise(table, bytes, strcmp(arguments[1], "large") == 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  for (size_t i = 0; i < bytes / 4; i++) table[i] = (uint32_t)i;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
      uint32_t x = p->id;
      for (int step = 0; step < 200; step++)
        x = mix(table[mix(x + (uint32_t)step) % (bytes / 4)]);
      p->out[0] = x;
    }
  printf("%08x\n%s\n", digest(0), on_large_pages() * 1024 > bytes / 2 ? "large" : "small");
  return 0;
}
