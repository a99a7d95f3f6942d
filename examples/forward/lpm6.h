// IPv6 longest-prefix match: a trie of 24 bits and then 8 at a time (DIR-24-8, Gupta, Lin and McKeown, INFOCOM 1998, made longer as in
// DPDK's rte_lpm6), with or without path compression (Kumar et al., APSys 2017, section 3.6).
//
// A look-up waits for one cache line per step, so what matters is how many steps there are. An entry holds all that is needed to take
// the next one or to end: 16 bytes, aligned, never in two lines.
//
//     path     the bits that an address must go on with, from the top; the lowest byte says how many, and whether a node follows
//     target   the node's first entry, or the complement of the hop
//     miss     the complement of the hop of addresses that go on differently
//
// So to skip what all prefixes below an entry have in common costs a comparison, and no line. A single prefix is a path down to
// its last bit, wherever it begins: 2001:db8:1::/48 alone in its 24 bits is found by one load. A path that leads to a node ends with a
// byte, and before the first prefix that ends on it, as those that leave the path later must not miss what they would match. Without
// compression all paths are empty, and the same function looks up.
//
// The alternatives: 4 bytes an entry, as DPDK has it, leave no room for a path, so that it would lie in a line of its own; 8 bytes none for
// the hop of those that leave it. Bitmaps and a count of their bits (Poptrie, SIGCOMM 2015) make nodes small, and take two lines a step.
//
// Memory that is all zeros is a table without routes; hops are complements for that. The first level takes 256 MiB of address space, of
// which pages without routes are never touched.
#ifndef LPM6_H
#define LPM6_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LPM6_NO_ROUTE UINT32_MAX

struct lpm6_route {
  uint8_t prefix[16]; // bits behind the length are ignored
  uint8_t length;     // 0 to 128
  uint32_t hop;       // anything but LPM6_NO_ROUTE
};

struct lpm6_entry {
  uint64_t path;
  uint32_t target, miss;
};
#define LPM6_NODE 0x80 // in a path: target is a node
#define LPM6_BITS 0x3f // in a path: how many bits it has, 0 to 56, or to 48 before a node

struct lpm6 {
  struct lpm6_entry* entries; // 2^24 by the first three bytes; nodes
  size_t size;                // of the entries that are used, in bytes
  void* mapped;
  size_t mapped_size;
};

// A table of these routes; of several with the same prefix the last counts. NULL with errno: EINVAL, a length or hop is out of range;
// ENOMEM. The routes may be freed.
struct lpm6* lpm6_create(const struct lpm6_route* routes, uint32_t count, bool compressed);
void lpm6_free(struct lpm6* table);

// A look-up under way: the entry that comes next, and what of the address has not been used.
struct lpm6_walk {
  const struct lpm6_entry* entry;
  uint64_t high, low;
};

static inline uint64_t lpm6_word(const uint8_t* bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return __builtin_bswap64(word);
}

// Of an address in two halves.
static inline struct lpm6_walk lpm6_walk_of(const struct lpm6* table, uint64_t high, uint64_t low) {
  const struct lpm6_walk walk = {&table->entries[high >> 40], high << 24 | low >> 40, low << 24};
  return walk;
}

static inline struct lpm6_walk lpm6_begin(const struct lpm6* table, const uint8_t address[16]) {
  return lpm6_walk_of(table, lpm6_word(address), lpm6_word(address + 8));
}

// Whether the look-up ends here, with *hop set.
static inline bool lpm6_step(const struct lpm6* table, struct lpm6_walk* walk, uint32_t* hop) {
  const struct lpm6_entry* entry = walk->entry;
  const uint64_t path = entry->path;
  const unsigned bits = path & LPM6_BITS, used = bits + 8;
  if ((walk->high ^ path) >> 8 >> (56 - bits)) {
    *hop = ~entry->miss;
    return true;
  }
  if (!(path & LPM6_NODE)) {
    *hop = ~entry->target;
    return true;
  }
  walk->entry = &table->entries[entry->target + (walk->high << bits >> 56)];
  walk->high = walk->high << used | walk->low >> (64 - used);
  walk->low <<= used;
  return false;
}

// The hop of the longest prefix with the address; LPM6_NO_ROUTE: there is none.
static inline uint32_t lpm6_look_up(const struct lpm6* table, const uint8_t address[16]) {
  struct lpm6_walk walk = lpm6_begin(table, address);
  uint32_t hop;
  while (!lpm6_step(table, &walk, &hop)) {
  }
  return hop;
}

#ifdef __cplusplus
}
#endif

#endif
