/* The load balancer's tables, as its control plane fills them. Addresses and ports are in the order of the network. An IPv4 address is
   the first word of four; the others are zero. */
#ifndef BALANCER_TABLES_H
#define BALANCER_TABLES_H

#include <linux/types.h>

#define MOST_SERVICES 64
#define RING 4099 /* places of each service: a prime */

struct service_key {
  __u32 address[4];
  __u16 port;
  __u8 protocol, version; /* 4 or 6 */
};

struct service {
  __u32 number; /* its places in the ring begin at number * RING */
  __u32 flags;
};

#define ANY_PORT 1  /* of flags: a client's connections go to one server, whatever port they come from */
#define NO_MEMORY 2 /* connections are not remembered */
#define GUE 4       /* packets go to the servers inside UDP */
#define QUIC 8      /* of UDP: packets with a server's id go to that server */

struct server {
  __u32 address[4];
  __u32 version; /* of its address, 4 or 6: servers may have another than their services */
  __u32 health;
};

/* Of servers (balancer.bpf.c). */
enum health { DOWN, UP, DRAINING };

/* Of the servers' ids in QUIC's connection ids (quic.h). */
#define quic_key(configuration, id) ((__u32)(configuration) << 16 | (__u32)(id))

/* Whom packets come from, once they are encapsulated, and the router that takes them. */
struct uplink {
  __u32 address;
  __u8 from[6], to[6];
  __u32 address6[4];
};

struct connection {
  __u32 source[4], destination[4];
  __u16 source_port, destination_port;
  __u8 protocol, version, unused[2];
};

/* Why packets end as they do; the index of their counter. */
enum outcome { SENT, NOT_OURS, MALFORMED, FRAGMENT, NO_SERVER, OUTCOMES };

#endif
