/* The translator's tables. Addresses and ports are in the order of the network. */
#ifndef NAT_TABLES_H
#define NAT_TABLES_H

#include <linux/types.h>

/* The two sides, and the address that the inside shares. */
struct sides {
  __u32 inside, mask; /* its network */
  __u32 address;      /* what it is seen as */
  __u8 to_inside[6], to_outside[6], own[6];
};

/* A service inside that can be reached from outside. */
struct service_key {
  __u16 port; /* of the shared address */
  __u8 protocol, unused;
};

struct host {
  __u32 address;
  __u16 port, unused;
};

/* Packets of a connection on their way out, and back. */
struct flow {
  __u32 source, destination;
  __u16 source_port, destination_port;
  __u8 protocol, unused[3];
};

/* What takes the place of the inside's address and port, or of the shared one's. */
struct translation {
  __u32 address;
  __u16 port, unused;
  __u64 seen; /* when it was last used, in nanoseconds: the control plane removes old ones */
};

/* Why packets end as they do; the index of their counter. */
enum outcome { OUTWARD, INWARD, NEW, NOT_OURS, MALFORMED, EXPIRED, NO_PORT, UNKNOWN, OUTCOMES };

#endif
