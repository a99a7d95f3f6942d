// Time, in core cycles, and medians with their intervals.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <time.h>

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static inline double nanoseconds_per_cycle(void) {
  double best = 1e9;
  for (int attempt = 0; attempt < 15; ++attempt) {
    long steps = 200000, left = steps;
    unsigned long sum = 1;
    double start = now();
    while (left-- > 0)
      __asm__ volatile("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\t"
                       "add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0"
                       : "+r"(sum));
    double each = (now() - start) / (10.0 * steps);
    if (each < best) best = each;
  }
  return best;
}

static inline int by_value(const void* left, const void* right) {
  double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

struct estimate {
  double median, low, high; // 95 % interval of the median, from order statistics
};

static inline struct estimate estimate(double* values, int count) {
  qsort(values, count, sizeof *values, by_value);
  int spread = (int)ceil(0.98 * sqrt(count));
  int low = count / 2 - spread, high = count / 2 + spread;
  return (struct estimate){values[count / 2], values[low < 0 ? 0 : low],
                           values[high >= count ? count - 1 : high]};
}
