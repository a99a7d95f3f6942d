// Variants of a look-up in turn, and what that says.
#pragma once

#include "workload.h"

namespace lookup {

struct Estimate {
  double median, low, high; // 95 % interval of the median, from order statistics
};
Estimate estimate(std::vector<double> values);

struct Result {
  const char* variant;
  Estimate nanoseconds; // per look-up
  Estimate speedup;     // the baseline's time by this one's, within rounds
};

struct Measurement {
  std::vector<Result> results;
  const char* differs = nullptr; // the variant whose results are not the baseline's
};

// `rounds` times A B C ..., each for a millisecond or so and on keys of its own: none comes back before all the others have been looked
// up. All that any variant ever gives is compared with what the baseline gave for that key at first.
Measurement measure(const Workload& workload, int batch, int rounds);

// All variants once over all keys; the variant that differs, or null.
const char* check(const Workload& workload, int batch);

// The thread's own time, in ns: what other programs take of the processor does not count.
double now();
// Of a chain of dependent additions, which take a cycle each.
double nanoseconds_per_cycle();

} // namespace lookup
