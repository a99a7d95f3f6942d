// Heddle's runtime, as a program may see it. All of it is optional: an optimized program needs no change.
//
// Link with libheddle_rt.a (heddle build does). In a program that is not staged, or built without Heddle,
// define HEDDLE_ABSENT before including this header: every function then does nothing at no cost.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the calling thread has staged so far.
struct heddle_counters {
  uint64_t packets;   // packet bodies started on a private stack (a packet loop's last test counts as one)
  uint64_t batches;   // sets of packets that were in flight together
  uint64_t crossings; // times a packet was suspended at a site and resumed
  uint64_t alone;     // packets that took a rare path and ran alone from there on
  uint64_t deferred;  // calls for output that were kept with their packet and made later
  uint64_t visits;    // times that a stage but the first ran for some packets: crossings / visits at a time
  uint64_t held;      // times that a packet waited for such a stage and was left out, because of a key
};

#ifndef HEDDLE_ABSENT

// The most packets in flight from each thread's next batch on; 0 or 1 switches staging off. At most 1024.
// The start value is the environment's HEDDLE_BATCH, else the plan's, else 32.
void heddle_set_batch(unsigned batch);
unsigned heddle_batch(void);

// How many packets of the calling thread's batch have started and not ended; 0 outside a staged batch.
unsigned heddle_in_flight(void);

void heddle_get_counters(struct heddle_counters* counters);

#else

static inline void heddle_set_batch(unsigned batch) {
  (void)batch;
}
static inline unsigned heddle_batch(void) {
  return 0;
}
static inline unsigned heddle_in_flight(void) {
  return 0;
}
static inline void heddle_get_counters(struct heddle_counters* counters) {
  struct heddle_counters none = {0, 0, 0, 0, 0, 0, 0};
  *counters = none;
}

#endif

// HEDDLE_KEY(record): from here on the packet that runs uses the object that `record` points to as its own: it is touched only
// by packets that have said the same of it, and so packets of other records may pass this one by. HEDDLE_NEW_KEY(record)
// says it of a record that the packet has just got and fills at once. Both are statements that Heddle does not prove (heddle plan
// --trust), and that `heddle verify --dependencies` checks. They do nothing by themselves and need no library.
__attribute__((noinline, nothrow, unused)) static void heddle_key(const void* record) {
  __asm__ volatile("" : : "r"(record));
}
__attribute__((noinline, nothrow, unused)) static void heddle_new_key(const void* record) {
  __asm__ volatile("" : : "r"(record));
}
#define HEDDLE_KEY(record) heddle_key(record)
#define HEDDLE_NEW_KEY(record) heddle_new_key(record)

// HEDDLE_EXPENSIVE(pointer): the load of *pointer that follows is expected to wait for memory. Heddle may then fetch it early and
// run other packets meanwhile (docs/hide.md). A hint for what a profile cannot see; it does nothing by itself.
__attribute__((noinline, nothrow, unused)) static void heddle_expensive(const void* pointer) {
  __asm__ volatile("" : : "r"(pointer));
}
#define HEDDLE_EXPENSIVE(pointer) heddle_expensive(pointer)

#ifdef __cplusplus
}
#endif
