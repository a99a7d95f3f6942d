// Within the profile runtime: batches and packets, as the loops see them.
#ifndef HEDDLE_PROFILE_PACKETS_H
#define HEDDLE_PROFILE_PACKETS_H

// The packets that follow on this thread are of a new batch.
void heddle_profile_batch(void);

// Runs body(env) as one packet and returns its result.
int heddle_profile_packet(int (*body)(void* env), void* env);

// Around a packet that is recorded: what its loads find in the simulated caches is counted.
void heddle_profile_loads_begin(void);
void heddle_profile_loads_end(void);

#endif
