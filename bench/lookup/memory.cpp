#include "memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace lookup {

constexpr size_t huge_page = 2 << 20;

Pages::Pages(size_t bytes, bool huge) : mapped_size_(bytes + huge_page), size_(bytes) {
  mapped_ =
      mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped_ == MAP_FAILED) {
    std::perror("lookup: mmap");
    std::exit(2);
  }
  start_ = static_cast<char*>(mapped_) + (-reinterpret_cast<uintptr_t>(mapped_) & (huge_page - 1));
  const size_t advised = (bytes + huge_page - 1) & -huge_page;
  if (madvise(start_, advised, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0 && huge)
    std::perror("lookup: no huge pages: madvise");
}

Pages::~Pages() {
  munmap(mapped_, mapped_size_);
}

} // namespace lookup
