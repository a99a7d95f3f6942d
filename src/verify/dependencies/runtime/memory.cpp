#include "memory.h"

#include <sched.h>
#include <sys/mman.h>

namespace heddle::dependencies {

void* fresh_memory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void return_memory(void* memory, size_t bytes) {
  if (bytes != 0) munmap(memory, bytes);
}

SpinLock::SpinLock(unsigned* word) : word_(word) {
  constexpr unsigned patience = 1 << 16;
  for (unsigned i = 0; i < patience && !held_; ++i) {
    held_ = __atomic_exchange_n(word_, 1, __ATOMIC_ACQUIRE) == 0;
    if (!held_ && i > 100) sched_yield();
  }
}

SpinLock::~SpinLock() {
  if (held_) __atomic_store_n(word_, 0, __ATOMIC_RELEASE);
}

} // namespace heddle::dependencies
