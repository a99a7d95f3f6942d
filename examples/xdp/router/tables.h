/* The router's tables, as its control plane fills them. */
#ifndef ROUTER_TABLES_H
#define ROUTER_TABLES_H

#include <linux/types.h>

struct prefix4 {
  __u32 bits;
  __u8 address[4];
};

struct prefix6 {
  __u32 bits;
  __u8 address[16];
};

struct hop {
  __u8 to[6], from[6]; /* Ethernet addresses */
  __u32 interface;     /* 0: back where the packet came from */
};

/* Why packets end as they do; the index of their counter. */
enum outcome { FORWARDED, TO_HOST, MALFORMED, MARTIAN, EXPIRED, UNREACHABLE, OTHER_PROTOCOL, OUTCOMES };

#endif
