// What the profile runtime counts of each load while the program runs, and src/profile/loads.cpp reads: a file in shared memory,
// made before the program starts. Native byte order.
//
//     struct heddle_loads_header   three tables of `loads` struct heddle_load_counts   `calls` struct heddle_call_times
//
// The first table counts from the start. The others are what it was when the load had been made a power of two times, the last one and
// the one before: the counts since the latter leave out at least the first quarter of what the load did, in which the simulated caches were filled.
#ifndef HEDDLE_PROFILE_LOADS_FORMAT_H
#define HEDDLE_PROFILE_LOADS_FORMAT_H

#include <stdint.h>

#define HEDDLE_LOADS_LEVELS 3u         // of cache
#define HEDDLE_LOADS_STORE 0xffffffffu // as the number of a load: a store, which is not counted

struct heddle_load_counts {
  uint64_t accesses;
  uint64_t found[HEDDLE_LOADS_LEVELS]; // found in level 2, in level 3, in memory
  uint64_t walks;                      // address translations that were not at hand
};

// How long a call of a function outside of the program took. A bucket holds what lies between two ticks of the time stamp counter that are a quarter
// of a doubling apart: number 4n + m is of 2^n * (1 + m/4) and more.
#define HEDDLE_CALL_BUCKETS 160u
struct heddle_call_times {
  uint32_t calls[HEDDLE_CALL_BUCKETS];
};

struct heddle_loads_header {
  uint64_t loads, calls;
  uint64_t most_accesses; // to simulate
  uint64_t page_bytes, translations, translation_ways;
  uint64_t sets[HEDDLE_LOADS_LEVELS], ways[HEDDLE_LOADS_LEVELS], line_bytes;
  uint64_t accesses; // simulated
  uint32_t owner;    // 1: a thread has taken the simulation
  uint32_t unused;
};

#endif
