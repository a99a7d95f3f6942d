/* What the programs of end_to_end.bpf.c and their user share. */
#ifndef END_TO_END_H
#define END_TO_END_H

#include "replay.h"

/* At the end of each packet; what is in front of `sent` is compared. */
struct mark {
  __u16 number; /* of the packet in the trace */
  __u64 sent;   /* CLOCK_MONOTONIC */
} __attribute__((packed));

#define FRONT 9      /* index of both ends of the pair that packets come by */
#define FIRST_PORT 2 /* and of those that they may go on by */
#define LAST_PORT 5

/* Latencies are counted by 16 ns up to a millisecond, and by 65 us behind it. */
#define FINE_SHIFT 4
#define FINE_BUCKETS 65536
#define COARSE_SHIFT 16
#define BUCKETS (2 * FINE_BUCKETS)

/* Answers are noted; compared; not compared, as packets that only go their way have the bytes that they came with. */
enum mode { LEARN, COMPARE, COUNT };

struct sending {
  __u64 due;               /* when the next packet is to leave */
  __u64 gap;               /* nanoseconds between packets; 0: as fast as possible */
  __u64 sent, first, last; /* packets, and when */
} __attribute__((aligned(64)));

struct arriving {
  __u64 wrong;
  __u64 came_back; /* by the pair that they came by */
  __u32 mode;      /* a mode */
  __u32 unused;
  __u64 answers
      [REPLAY_PACKETS]; /* of each packet: a hash of its bytes, and in the lowest byte the pair; 0: none */
  __u32 buckets[BUCKETS];
} __attribute__((aligned(64)));

struct shared {
  struct sending sending;
  struct arriving arriving;
};

#endif
