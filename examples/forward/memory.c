#include "memory.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

void* memory_create(size_t bytes) {
  size_t rounded = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  void* memory = aligned_alloc(HUGE_PAGE, rounded);
  if (!memory) return NULL;
  madvise(memory, rounded, MADV_HUGEPAGE);
  return memset(memory, 0, rounded);
}
