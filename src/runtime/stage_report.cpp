// Counts per body and stage, added up over threads. Without HEDDLE_REPORT nothing is counted and no clock is read. A child made by
// fork goes on from its parent's counts, and tells them with its own number; what ends by _exit or a signal tells nothing.
#include "stage_report.h"

#include "keys.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace heddle::runtime {
namespace {

constexpr unsigned most_stages = 256; // of all bodies; those beyond are not counted
const char* path;

struct Stage {
  uint64_t visits, packets, left_out, waited;
};
Stage stages[most_stages];

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

// A body's stages lie behind those of the bodies before it.
Stage* counts_of(const heddle_schedule* body, uint32_t stage) {
  size_t at = stage;
  for (const heddle_schedule* before = heddle_schedules; before != body; ++before)
    at += before->stages;
  return at < most_stages ? &stages[at] : nullptr;
}

// Before the program, which may clear its environment.
__attribute__((constructor(101))) void read_path() {
  path = getenv("HEDDLE_REPORT");
  if (path != nullptr) path = *path != '\0' && &heddle_schedule_count != nullptr ? strdup(path) : nullptr;
}

double part(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : double(a) / double(b);
}

void tell_body(int file, const heddle_schedule& body) {
  dprintf(file, "%s, process %d\n%5s %12s %12s %10s %12s %16s\n", body.name, int(getpid()), "stage", "visits",
          "packets", "per visit", "left out", "waited ns/packet");
  for (uint32_t stage = 0; stage < body.stages; ++stage)
    if (const Stage* told = counts_of(&body, stage))
      dprintf(file, "%5u %12llu %12llu %10.1f %12llu %16.1f\n", stage, (unsigned long long)told->visits,
              (unsigned long long)told->packets, part(told->packets, told->visits),
              (unsigned long long)told->left_out, part(told->waited, told->packets));
}

__attribute__((destructor)) void tell() {
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) {
    dprintf(STDERR_FILENO, "heddle: error: cannot write the report of the stages: %s: %m\n", path);
    return;
  }
  for (unsigned i = 0; i < heddle_schedule_count; ++i)
    tell_body(file, heddle_schedules[i]);
  close(file);
}

__thread uint64_t counted __attribute__((tls_model("initial-exec"))); // of this thread's packets

void add(uint64_t& count, uint64_t more) {
  __atomic_fetch_add(&count, more, __ATOMIC_RELAXED);
}

} // namespace

uint64_t visit_begins() {
  return path == nullptr ? 0 : now();
}

void visit_ends(const heddle_thread& thread, uint32_t stage, unsigned packets, uint64_t left_out,
                uint64_t begin) {
  const heddle_schedule* body = begin == 0 ? nullptr : staged_body(thread.body);
  Stage* counts = body == nullptr ? nullptr : counts_of(body, stage);
  if (counts == nullptr) return;
  add(counts->visits, 1);
  add(counts->packets, packets);
  add(counts->left_out, left_out);
  if (left_out != 0) add(counts->waited, left_out * (now() - begin));
}

void first_stage_ends(const heddle_thread& thread) {
  if (path == nullptr) return;
  visit_ends(thread, 0, unsigned(thread.packets - counted), 0, now());
  counted = thread.packets;
}

} // namespace heddle::runtime
