// Running workers: ports, clocks, the packet loop, and feeding it from memory for speed measurements.
#ifndef UPF_RUN_H
#define UPF_RUN_H

#include "arrivals.h"
#include "upf.h"

enum clock_kind { CLOCK_PACKET, CLOCK_TSC, CLOCK_PCAP };

struct options {
  const char* sessions;
  const char* report;
  const char* stats;
  const char* record[2]; // by interface
  const char* preload[2];
  enum clock_kind clock;
  uint64_t interval; // nanoseconds per packet of the packet clock
  uint64_t packets;  // stop after that many; 0: no limit
  uint64_t idle;     // stop after that many empty polls in a row; 0: never
  unsigned loops;    // times that the preloaded frames are fed
  uint64_t rate;     // at which they arrive, packets per second; 0: as fast as they are processed
  unsigned workers;
  unsigned mbufs, mbuf_size;
  uint16_t port[2]; // of the first worker
  bool timing;
};

struct feed;

// One worker with its ports and its clock.
struct lane {
  struct worker* worker;
  const struct options* options;
  uint16_t port[2];
  struct feed* feed;         // NULL: frames come from the ports alone
  struct arrivals* arrivals; // of these; NULL: they are always there
  uint64_t now;              // packet clock: time of the next packet
  uint64_t packets, cycles;
  FILE* report;
};

// Polls the lane's ports until its input ends, it has seen enough, or run_stop() was called.
int run_lane(void* lane);
void run_stop(void);

// Frames from pcap files, kept in memory, and ring ports to feed them through. Returns NULL with a text in
// err on failure. The two ring ports' ids are stored in `port`.
struct feed* feed_create(const struct options* options, struct rte_mempool* pool, uint16_t port[2], char* err,
                         size_t err_len);
void feed_free(struct feed* feed);
// Puts up to a burst of fresh frames into each ring, of those that have arrived (NULL: all). False when all loops are done.
bool feed_next(struct feed* feed, struct arrivals* arrivals);
uint64_t feed_frames(const struct feed* feed); // in all loops
// Frees what was sent to the ring ports.
void feed_drain(struct feed* feed);

#endif
