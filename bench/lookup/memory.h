// Tables' memory: pages of a known size.
#pragma once

#include <cstddef>

namespace lookup {

// Zeroed memory of `bytes` bytes, aligned to 2 MB, in 2 MB pages (transparent, asked for with madvise) or in 4 KB pages for sure. Ends
// the program if there is none.
class Pages {
public:
  Pages(size_t bytes, bool huge);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  template <class T> T* as() { return static_cast<T*>(start_); }
  template <class T> const T* as() const { return static_cast<const T*>(start_); }
  size_t size() const { return size_; }

private:
  void *mapped_, *start_;
  size_t mapped_size_, size_;
};

} // namespace lookup
