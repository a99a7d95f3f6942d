// What a site crossing costs, decision included, and what the presence of sites costs a batch of one.
//
// Crossing: a body of 16 stages that do nothing but add to a few live values, staged (n packets in flight)
// against the same body with staging off, in turn A B A B; the difference of a round divided by its
// crossings. It contains everything a crossing needs: the check, the decision, the switch, the saving of live
// values, and the scheduler's work at the start of each round.
// Batch of one: a body of about 4,000 instructions with four sites, called through heddle_run_loop with a
// hint of one packet, against a plain loop round the same body without sites.
//
// Cycles are core cycles: the clock is measured by a chain of dependent additions, which take one each;
// of the readings before and with each measurement the fastest clock is taken, which counts most cycles.
// Output: one JSON object per line.
#define _GNU_SOURCE
#include "heddle/heddle.h"
#include "runtime/runtime.h"
#include "runtime/site.h"
#include "timing.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { pairs = 201, crossing_packets = 1 << 13, stages = 16 };

struct loop {
  long left;
  unsigned long sum;
};

#define STAGE(number)                                                                                        \
  HEDDLE_SITE(number);                                                                                       \
  a += b;                                                                                                    \
  __asm__ volatile("" : "+r"(a), "+r"(b))

static int crossing_body(void* env) {
  struct loop* loop = env;
  if (loop->left == 0) return 1;
  unsigned long a = loop->left--, b = 3;
  STAGE(1);
  STAGE(2);
  STAGE(3);
  STAGE(4);
  STAGE(5);
  STAGE(6);
  STAGE(7);
  STAGE(8);
  STAGE(9);
  STAGE(10);
  STAGE(11);
  STAGE(12);
  STAGE(13);
  STAGE(14);
  STAGE(15);
  STAGE(16);
  loop->sum += a;
  return 0;
}

static double time_crossings(unsigned batch) {
  struct loop loop = {crossing_packets, 0};
  heddle_set_batch(batch);
  double start = now();
  heddle_run_loop(crossing_body, &loop, -1);
  return (now() - start) / crossing_packets;
}

static void measure_crossing(unsigned batch, double cycle) {
  static double costs[pairs];
  cycle = fmin(cycle, nanoseconds_per_cycle()); // the faster clock counts more cycles
  for (int i = 0; i < pairs; ++i) {
    double staged = time_crossings(batch), plain = time_crossings(1);
    costs[i] = (staged - plain) / stages / cycle;
  }
  struct estimate cost = estimate(costs, pairs);
  printf("{\"measure\":\"crossing\",\"in_flight\":%u,\"cycles\":%.2f,\"ci\":[%.2f,%.2f]}\n", batch,
         cost.median, cost.low, cost.high);
}

// The work of a small packet program: hash a packet, look a few things up, write a few back. Part `k` of
// four.
static unsigned table[4096];

static inline __attribute__((always_inline)) unsigned part(unsigned hash, unsigned salt) {
  for (int i = 0; i < 64; ++i) {
    hash = (hash ^ (hash >> 13)) * (0x5bd1e995u + salt);
    table[hash >> 20] += i;
    if (table[(hash >> 8) & 4095] & 1) hash += salt;
  }
  return hash;
}

static int plain_body(void* env) {
  struct loop* loop = env;
  if (loop->left == 0) return 1;
  unsigned hash = loop->left--;
  hash = part(hash, 1);
  hash = part(hash, 3);
  hash = part(hash, 5);
  hash = part(hash, 7);
  hash = part(hash, 9);
  loop->sum += hash;
  return 0;
}

static int sited_body(void* env) {
  struct loop* loop = env;
  if (loop->left == 0) return 1;
  unsigned hash = loop->left--;
  hash = part(hash, 1);
  HEDDLE_SITE(1);
  hash = part(hash, 3);
  HEDDLE_SITE(2);
  hash = part(hash, 5);
  HEDDLE_SITE(3);
  hash = part(hash, 7);
  HEDDLE_SITE(4);
  hash = part(hash, 9);
  loop->sum += hash;
  return 0;
}

static __attribute__((noinline)) void run_plain(struct loop* loop) {
  while (plain_body(loop) == 0) {
  }
}

static double time_one(int sited) {
  enum { packets = 400 };
  struct loop loop = {0, 0};
  memset(table, 0, sizeof table);
  double start = now();
  for (int i = 0; i < packets; ++i) {
    loop.left = 1;
    if (sited)
      heddle_run_loop(sited_body, &loop, 1);
    else
      run_plain(&loop);
  }
  return (now() - start) / packets;
}

static void measure_one(double cycle) {
  enum { rounds = 1001 };
  static double ratios[rounds], plain_times[rounds];
  heddle_set_batch(32);
  for (int i = 0; i < rounds; ++i) {
    double plain = time_one(0), sited = time_one(1), again = time_one(1), plain_again = time_one(0);
    ratios[i] = (sited + again) / (plain + plain_again);
    plain_times[i] = plain;
  }
  struct estimate ratio = estimate(ratios, rounds), time = estimate(plain_times, rounds);
  printf("{\"measure\":\"batch_of_one\",\"ratio\":%.4f,\"ci\":[%.4f,%.4f],\"packet_cycles\":%.0f}\n",
         ratio.median, ratio.low, ratio.high, time.median / cycle);
}

// The first value of `field` in a file of "field : value" lines.
static void read_field(const char* path, const char* field, char* value, size_t size) {
  char line[512];
  snprintf(value, size, "unknown");
  FILE* file = fopen(path, "r");
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, field, strlen(field)) != 0) continue;
    const char* text = line + strlen(field);
    snprintf(value, size, "%s", text + strspn(text, "\t :"));
    break;
  }
  fclose(file);
}

static void describe_machine(double cycle) {
  char model[256], l1i[64];
  read_field("/proc/cpuinfo", "model name", model, sizeof model);
  read_field("/sys/devices/system/cpu/cpu0/cache/index1/size", "", l1i, sizeof l1i);
  printf("{\"measure\":\"machine\",\"cpu\":\"%s\",\"l1i\":\"%s\",\"ghz\":%.3f}\n", model, l1i, 1 / cycle);
}

int main(void) {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);

  double cycle = nanoseconds_per_cycle();
  describe_machine(cycle);
  const unsigned batches[] = {2, 8, 16, 32, 64};
  for (size_t i = 0; i < sizeof batches / sizeof *batches; ++i)
    measure_crossing(batches[i], cycle);
  measure_one(cycle);
  return 0;
}
