// Numbers for keys: reproducible, and quick enough to fill gigabytes.
#pragma once

#include <cmath>
#include <cstdint>

namespace lookup {

// splitmix64's finalizer: a bijection of 64-bit numbers.
inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
  uint64_t below(uint64_t bound) { return uint64_t((unsigned __int128)next() * bound >> 64); }
  double unit() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t state_;
};

// A bijection of the numbers below 2^bits that looks random: multiplications by odd numbers and shifts to the right are.
class Permutation {
public:
  explicit Permutation(int bits)
      : mask_(bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1), bits_(bits) {}
  uint64_t operator()(uint64_t x) const {
    const int shift = bits_ / 2 + 1;
    for (uint64_t factor : {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu}) {
      x = (x * factor + 0x632be59bd9b4e019u) & mask_;
      x ^= x >> shift;
    }
    return x;
  }

private:
  uint64_t mask_;
  int bits_;
};

// Ranks 0.. below `count` with probability proportional to (rank + 1)^-exponent, without a table: rejection-inversion
// (Hoermann and Derflinger, ACM TOMACS 6(3), 1996).
class Zipf {
public:
  Zipf(uint64_t count, double exponent)
      : exponent_(exponent), count_(double(count)), first_(integral(1.5) - 1), last_(integral(count_ + 0.5)),
        slack_(2 - inverse(integral(2.5) - std::pow(2, -exponent))) {}

  uint64_t operator()(Random& random) const {
    for (;;) {
      const double u = last_ + random.unit() * (first_ - last_), x = inverse(u);
      double k = std::floor(x + 0.5);
      k = k < 1 ? 1 : k > count_ ? count_ : k;
      if (k - x <= slack_ || u >= integral(k + 0.5) - std::pow(k, -exponent_)) return uint64_t(k) - 1;
    }
  }

private:
  double integral(double x) const { return std::expm1((1 - exponent_) * std::log(x)) / (1 - exponent_); }
  double inverse(double y) const { return std::exp(std::log1p(y * (1 - exponent_)) / (1 - exponent_)); }

  double exponent_, count_, first_, last_, slack_;
};

// Which of `count` things each look-up asks for: uniformly, or by Zipf's law with exponent 0.99 and the popular ones spread.
class Draw {
public:
  Draw(uint64_t count, bool zipf, uint64_t seed)
      : random_(seed), zipf_(count, 0.99), count_(count), is_zipf_(zipf) {}
  // The rank is hashed, so popular things do not lie side by side; two ranks may share one.
  uint64_t next() {
    if (!is_zipf_) return random_.below(count_);
    return uint64_t((unsigned __int128)mix(zipf_(random_) + 1) * count_ >> 64);
  }

private:
  Random random_;
  Zipf zipf_;
  uint64_t count_;
  bool is_zipf_;
};

} // namespace lookup
