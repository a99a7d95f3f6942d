#include "analysis/objects.h"

#include <numeric>

using namespace llvm;

namespace heddle {

static int64_t shifted(int64_t bound, int64_t by) {
  int64_t sum;
  if (bound == Place::lowest || bound == Place::highest) return bound;
  if (__builtin_add_overflow(bound, by, &sum)) return by > 0 ? Place::highest : Place::lowest;
  return sum;
}

Place Place::moved(int64_t by) const {
  if (is_anywhere()) return *this;
  // Offsets wrap around like the pointers they belong to.
  return {int64_t(uint64_t(offset) + uint64_t(by)), stride, shifted(low, by), shifted(high, by)};
}

static uint64_t distance(int64_t from, int64_t to, uint64_t modulus) {
  int64_t m = int64_t(modulus), r = (to % m - from % m) % m;
  return r < 0 ? r + m : r;
}

// First byte that may be touched, and the one after the last.
static std::pair<int64_t, int64_t> extent(const Place& place, uint64_t size) {
  int64_t first = place.exact() ? place.offset : place.low;
  int64_t last = place.exact()                  ? place.offset
                 : place.high == Place::highest ? Place::highest
                                                : place.high - 1;
  int64_t end;
  if (size > uint64_t(INT64_MAX) || __builtin_add_overflow(last, int64_t(size), &end)) end = Place::highest;
  return {first, end};
}

bool may_overlap(const Place& a, uint64_t size_a, const Place& b, uint64_t size_b) {
  if (size_a == 0 || size_b == 0) return false;
  auto [first_a, end_a] = extent(a, size_a);
  auto [first_b, end_b] = extent(b, size_b);
  if (first_a >= end_b || first_b >= end_a) return false;
  if (a.exact() && b.exact()) return true;
  uint64_t modulus = std::gcd(a.stride, b.stride);
  if (size_a >= modulus || size_b >= modulus) return true;
  return distance(a.offset, b.offset, modulus) < size_a || distance(b.offset, a.offset, modulus) < size_b;
}

} // namespace heddle
