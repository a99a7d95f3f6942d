// Latency by an open model: packets arrive whether or not the last one is done, so that one that takes long lets others wait. The clock is
// virtual, and advanced by the thread's processor time of processing alone; so neither the making of packets, nor an idle machine's polls, nor
// other programs on the same processor count, and 10 % load takes no longer to measure than 90 %.

#include "arrivals.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { UNDER_WAY = 4096 };

struct arrivals {
  double mean_ns, now, next, started, busy;
  uint64_t random;
  double at[2][UNDER_WAY]; // rings: when those that are under way have arrived
  uint64_t taken[2], done[2];
  uint64_t count, total, first;
  float ns[]; // of each packet
};

double arrivals_random(struct arrivals* a) {
  a->random ^= a->random << 13;
  a->random ^= a->random >> 7;
  a->random ^= a->random << 17;
  return (double)(a->random >> 11) / 9007199254740992.0;
}

struct arrivals* arrivals_create(double rate, uint64_t total, uint64_t first) {
  struct arrivals* a = calloc(1, sizeof *a + total * sizeof a->ns[0]);
  if (!a) return NULL;
  a->mean_ns = 1e9 / rate;
  a->random = 0x9e3779b97f4a7c15u;
  a->total = total;
  a->first = first;
  return a;
}

void arrivals_free(struct arrivals* a) {
  free(a);
}

void arrivals_leap(struct arrivals* a) {
  if (a->now < a->next) a->now = a->next;
}

bool arrivals_due(const struct arrivals* a) {
  return a->next <= a->now;
}

void arrivals_take(struct arrivals* a, unsigned port) {
  a->at[port][a->taken[port]++ % UNDER_WAY] = a->next;
  a->next -= log(1 - arrivals_random(a)) * a->mean_ns;
}

static double processor_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void arrivals_start(struct arrivals* a) {
  a->started = processor_ns();
}

void arrivals_done(struct arrivals* a, unsigned port, unsigned count) {
  const double took = processor_ns() - a->started;
  a->now += took;
  if (a->first == 0) a->busy += took;
  for (unsigned i = 0; i < count; i++) {
    double arrived = a->at[port][a->done[port]++ % UNDER_WAY];
    if (a->first != 0) {
      // Those that have come meanwhile need not be waited for.
      if (--a->first == 0 && a->next < a->now) a->next = a->now;
      continue;
    }
    if (a->count < a->total) a->ns[a->count++] = (float)(a->now - arrived);
  }
}

static int by_value(const void* left, const void* right) {
  float a = *(const float*)left, b = *(const float*)right;
  return (a > b) - (a < b);
}

void arrivals_print(struct arrivals* a) {
  static const double parts[3] = {0.5, 0.99, 0.999};
  double sum = 0;
  qsort(a->ns, a->count, sizeof a->ns[0], by_value);
  for (uint64_t i = 0; i < a->count; i++)
    sum += (double)a->ns[i];
  printf("latency_ns");
  for (unsigned i = 0; i < 3; i++)
    printf(" p%g=%.0f", 100 * parts[i],
           a->count ? (double)a->ns[(uint64_t)(parts[i] * (double)(a->count - 1))] : 0);
  const double packets = a->count ? (double)a->count : 1;
  printf(" mean=%.0f processor_ns=%.1f packets=%" PRIu64 "\n", sum / packets, a->busy / packets, a->count);
}
