// Zipf's law without a table: rejection-inversion (Hoermann and Derflinger, ACM TOMACS 6(3), 1996). The area under 1/x^s is cut into
// bars of width 1; a point of it is drawn by the inverse of the integral, and taken if it lies in the bar's share of the area.

#include "random.h"
#include <math.h>

static const double exponent = 0.99;

static double integral(double x) {
  return expm1((1 - exponent) * log(x)) / (1 - exponent);
}

static double inverse(double y) {
  return exp(log1p(y * (1 - exponent)) / (1 - exponent));
}

struct draw draw_create(uint64_t count, bool zipf) {
  return (struct draw){.count = count,
                       .zipf = zipf,
                       .first = integral(1.5) - 1,
                       .last = integral((double)count + 0.5),
                       .slack = 2 - inverse(integral(2.5) - pow(2, -exponent))};
}

static double unit(struct random* r) {
  return (double)(random_next(r) >> 11) * 0x1p-53;
}

static uint64_t rank(const struct draw* d, struct random* r) {
  for (;;) {
    double u = d->last + unit(r) * (d->first - d->last), x = inverse(u);
    double k = floor(x + 0.5);
    if (k < 1) k = 1;
    if (k > (double)d->count) k = (double)d->count;
    if (k - x <= d->slack || u >= integral(k + 0.5) - pow(k, -exponent)) return (uint64_t)k - 1;
  }
}

// Ranks are hashed, so that popular things do not lie side by side; two may share one.
uint64_t draw_next(const struct draw* d, struct random* r) {
  if (!d->zipf) return random_below(r, d->count);
  return (uint64_t)(((unsigned __int128)mix(rank(d, r) + 1) * d->count) >> 64);
}
