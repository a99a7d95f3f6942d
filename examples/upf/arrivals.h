// Packets that arrive one by one at a given rate, and how long each takes: for preloaded frames.
#ifndef UPF_ARRIVALS_H
#define UPF_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

struct arrivals;

// `rate`: packets per second, on average; times between two are distributed exponentially, always the same ones. `total`: packets at
// most. `first`: of these, that only warm caches up. NULL: out of memory.
struct arrivals* arrivals_create(double rate, uint64_t total, uint64_t first);
void arrivals_free(struct arrivals* arrivals);

// The clock stands still while frames are fed, and leaps to the next arrival where there is nothing to do.
void arrivals_leap(struct arrivals* arrivals);
bool arrivals_due(const struct arrivals* arrivals);

// A packet is taken for port 0 or 1: its time counts from its arrival. At most 4,096 of a port may be under way.
void arrivals_take(struct arrivals* arrivals, unsigned port);
// Processing begins; and the next `count` packets of the port are done.
void arrivals_start(struct arrivals* arrivals);
void arrivals_done(struct arrivals* arrivals, unsigned port, unsigned count);
// Evenly distributed, the same ones each time: from 0 to 1.
double arrivals_random(struct arrivals* arrivals);

// "latency_ns p50=... p99=... p99.9=... mean=... processor_ns=... packets=...": processor_ns of each, without waiting.
void arrivals_print(struct arrivals* arrivals);

#endif
