/* The switch's tables. */
#ifndef SWITCH_TABLES_H
#define SWITCH_TABLES_H

#include <linux/types.h>

#define MOST_PORTS 64

/* A port, by the index of its interface: frames of `untagged` have no tag there; others of `tagged` keep theirs. */
struct port {
  __u16 untagged, unused; /* 0: every frame needs a tag */
  __u32 tagged;           /* VLAN v is let through if bit v % 32 of it is set */
};

struct station {
  __u8 address[6];
  __u16 vlan;
};

/* Where a station was seen last. */
struct seen {
  __u32 port, unused;
  __u64 when; /* nanoseconds */
};

/* Why frames end as they do; the index of their counter. */
enum outcome { SWITCHED, FLOODED, HERE, NOT_ALLOWED, MALFORMED, OUTCOMES };

#endif
