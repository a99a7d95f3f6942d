/* The firewall's tables, as its control plane fills them. Addresses and ports are in the order of the network. */
#ifndef FIREWALL_TABLES_H
#define FIREWALL_TABLES_H

#include <linux/types.h>

#define WORDS 16           /* of a set of rules */
#define RULES (WORDS * 64) /* rule 0 is looked at first */

/* Some of the rules, a bit each. */
struct rules {
  __u64 bits[WORDS];
};

struct prefix {
  __u32 bits;
  __u32 address;
};

struct action {
  __u32 verdict; /* of XDP */
  __u32 unused;
};

/* For packets that no rule is for. */
struct policy {
  __u32 verdict;
};

/* Why packets end as they do; the index of their counter. */
enum outcome { MATCHED, NO_RULE, NOT_IPV4, MALFORMED, OUTCOMES };

#endif
