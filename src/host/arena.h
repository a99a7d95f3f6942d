// Memory whose loads are measured: random lines, on small or on large pages.
#pragma once

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <utility>

namespace heddle {

class Arena {
public:
  // `kib`: a power of two. Errors: no memory; `large`: the system has no large pages for it (the reason alone).
  static llvm::Expected<Arena> make(uint64_t kib, bool large);
  Arena(Arena&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_), used_(other.used_) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  uint64_t lines() const { return used_ / 64; }
  char* data() const { return memory_; }
  // Makes one cycle of all lines: each holds the address of the next, in random order.
  void link();

private:
  Arena(char* memory, uint64_t bytes, uint64_t used) : memory_(memory), bytes_(bytes), used_(used) {}
  char* memory_;
  uint64_t bytes_, used_;
};

} // namespace heddle
