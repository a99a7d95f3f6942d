/* The load balancer's tables, as its control plane fills them. Addresses and ports are in the order of the network. */
#ifndef BALANCER_TABLES_H
#define BALANCER_TABLES_H

#include <linux/types.h>

#define MOST_SERVICES 64
#define RING 4099 /* places of each service: a prime */

struct service_key {
  __u32 address;
  __u16 port;
  __u8 protocol, unused;
};

struct service {
  __u32 number; /* its places in the ring begin at number * RING */
  __u32 flags;
};

#define ANY_PORT 1  /* of flags: a client's connections go to one server, whatever port they come from */
#define NO_MEMORY 2 /* connections are not remembered */
#define GUE 4       /* packets go to the servers inside UDP */

struct server {
  __u32 address;
  __u32 up;
};

/* Whom packets come from, once they are encapsulated, and the router that takes them. */
struct uplink {
  __u32 address;
  __u8 from[6], to[6];
};

struct connection {
  __u32 source, destination;
  __u16 source_port, destination_port;
  __u8 protocol, unused[3];
};

/* Why packets end as they do; the index of their counter. */
enum outcome { SENT, NOT_OURS, MALFORMED, FRAGMENT, NO_SERVER, OUTCOMES };

#endif
