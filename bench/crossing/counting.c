// What it costs to keep counters (HEDDLE_COUNTERS): batches of 32 packets through 17 stages that do nothing, and packets that run by
// themselves, with counting switched on and off in turn, batch by batch; the difference of neighbours. Everything else is the same
// process, the same memory and the same moment, so that what is left of a noisy machine is its noise within some microseconds.
// Output: one JSON object per line.
#define _GNU_SOURCE
#include "heddle/heddle.h"
#include "runtime/counters_file.h"
#include "runtime/runtime.h"
#include "runtime/site.h"
#include "timing.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { rounds = 20001, batch = 32, stages = 17 };

extern struct heddle_counters_head* heddle_counted;

struct loop {
  long left;
  unsigned long sum;
};

#define STAGE(number)                                                                                        \
  HEDDLE_SITE(number);                                                                                       \
  a += b;                                                                                                    \
  __asm__ volatile("" : "+r"(a), "+r"(b))

static int body(void* env) {
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

// As heddle build defines it.
static const uint32_t last_ordered[stages] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
const struct heddle_schedule heddle_schedules[] = {
    {body, "bench_counting", last_ordered, NULL, stages, 0, 0}};
const unsigned heddle_schedule_count = 1;

static double time_run(struct heddle_counters_head* counted, long packets) {
  struct loop loop = {packets, 0};
  heddle_counted = counted;
  const double start = now();
  heddle_run_loop(body, &loop, packets);
  return now() - start;
}

static void measure(const char* what, long packets, double cycle) {
  static double costs[rounds], times[rounds];
  struct heddle_counters_head* const counted = heddle_counted;
  for (int i = 0; i < rounds; ++i) {
    const double off = time_run(NULL, packets), on = time_run(counted, packets),
                 again = time_run(counted, packets), off_again = time_run(NULL, packets);
    costs[i] = (on + again - off - off_again) / 2 / cycle;
    times[i] = off / cycle;
  }
  heddle_counted = counted;
  const struct estimate cost = estimate(costs, rounds), time = estimate(times, rounds);
  printf("{\"measure\":\"%s\",\"packets\":%ld,\"cycles\":%.1f,\"ci\":[%.1f,%.1f],\"batch_cycles\":%.0f}\n",
         what, packets, cost.median, cost.low, cost.high, time.median);
}

// What an interleaved body calls at the end of its run (src/transform/interleave.cpp); without a file it does not.
void heddle_count_interleaved(int64_t received, uint32_t one_by_one);

static void measure_interleaved(double cycle) {
  enum { calls = 1000, few = 201 };
  static double costs[few];
  for (int i = 0; i < few; ++i) {
    const double start = now();
    for (int call = 0; call < calls; ++call)
      heddle_count_interleaved(batch, 0);
    costs[i] = (now() - start) / calls / cycle;
  }
  const struct estimate cost = estimate(costs, few);
  printf("{\"measure\":\"counting_interleaved\",\"packets\":%d,\"cycles\":%.1f,\"ci\":[%.1f,%.1f]}\n", batch,
         cost.median, cost.low, cost.high);
}

int main(int argc, char** argv) {
  (void)argc;
  if (heddle_counted == NULL) { // the runtime has looked at the environment already
    char path[64];
    if (getenv("HEDDLE_COUNTERS") != NULL) return 1;
    snprintf(path, sizeof path, "/dev/shm/bench_counting.%d", (int)getpid());
    setenv("HEDDLE_COUNTERS", path, 1);
    execv("/proc/self/exe", argv);
    perror("bench_counting: cannot start again");
    return 1;
  }
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);
  heddle_set_batch(batch);
  const double cycle = nanoseconds_per_cycle();
  measure("counting_batch", batch, cycle);
  measure("counting_one", 1, cycle);
  measure_interleaved(cycle);
  return 0;
}
