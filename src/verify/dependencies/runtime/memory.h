// Memory for the checker itself, from the kernel: the program's allocator may be what is being watched.
#pragma once

#include <stddef.h>

namespace heddle::dependencies {

// Zeroed; null when there is none.
void* fresh_memory(size_t bytes);
void return_memory(void* memory, size_t bytes);

// For data that all threads share.
class SpinLock {
public:
  explicit SpinLock(unsigned* word);
  ~SpinLock();
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;
  // False when the holder did not let go in a long time: it was killed, or this is a signal handler above it.
  bool held() const { return held_; }

private:
  unsigned* word_;
  bool held_ = false;
};

} // namespace heddle::dependencies
