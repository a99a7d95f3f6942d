// Into all caches, to be read.
#pragma once

namespace lookup {

inline void prefetch(const void* pointer) {
  __builtin_prefetch(pointer, 0, 3);
}

} // namespace lookup
