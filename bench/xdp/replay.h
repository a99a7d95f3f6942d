/* What the replaying program and its user share. */
#ifndef REPLAY_H
#define REPLAY_H

#include <linux/types.h>

#define REPLAY_PACKETS 16384 /* of a trace; a shorter one is repeated */
#define REPLAY_BYTES 64      /* of each packet */

struct replay_packet {
  __u64 words[REPLAY_BYTES / 8];
};

struct replay_state {
  __u32 next;   /* number of the next packet */
  __u32 chosen; /* a replay_program */
};

enum replay_program { NOTHING, ORIGINAL, SPECIALIZED, REPLAY_PROGRAMS };

#endif
