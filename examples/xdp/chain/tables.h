/* The chain's tables, as its control plane fills them. Addresses and ports are in the order of the network. */
#ifndef CHAIN_TABLES_H
#define CHAIN_TABLES_H

#include <linux/types.h>

/* The programs behind the first, in the order in which packets come to them. */
enum stage { FIREWALL, ROUTER, STAGES };

struct prefix {
  __u32 bits;
  __u8 address[4];
};

/* What may be reached: a port of TCP or UDP. */
struct service_key {
  __u16 port;
  __u8 protocol, unused;
};

struct service {
  __u32 open, unused;
  __u64 packets, bytes; /* counted by the program */
};

struct hop {
  __u8 to[6], from[6]; /* Ethernet addresses */
};

/* Why packets end as they do; the index of their counter. */
enum outcome {
  FORWARDED,
  NOT_IPV4,
  MALFORMED,
  OPTIONS,
  BLOCKED,
  CLOSED,
  EXPIRED,
  UNREACHABLE,
  NO_STAGE,
  OUTCOMES
};

#endif
