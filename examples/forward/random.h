// Numbers for tables and traffic: the same from one seed on every machine.
#ifndef FORWARD_RANDOM_H
#define FORWARD_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

// splitmix64's finalizer: a bijection of 64-bit numbers.
static inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Number `index` of a sequence that the seed names.
static inline uint64_t number(uint64_t seed, uint64_t index) {
  return mix(mix(seed) + index * 0x9e3779b97f4a7c15u);
}

struct random {
  uint64_t state;
};

static inline uint64_t random_next(struct random* r) {
  return mix(r->state += 0x9e3779b97f4a7c15u);
}

static inline uint64_t random_below(struct random* r, uint64_t bound) {
  return (uint64_t)(((unsigned __int128)random_next(r) * bound) >> 64);
}

// Which of `count` things each packet asks for: uniformly, or by Zipf's law with exponent 0.99 and the popular ones spread.
struct draw {
  uint64_t count;
  bool zipf;
  double first, last, slack; // of Zipf's law
};

struct draw draw_create(uint64_t count, bool zipf);
uint64_t draw_next(const struct draw* d, struct random* r);

#endif
