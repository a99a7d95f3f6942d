// IPv6 longest-prefix match: a trie of 24 bits and then 8 at a time (DIR-24-8, Gupta, Lin and McKeown, INFOCOM 1998, made longer as in
// DPDK's rte_lpm6), with or without path compression (Kumar et al., APSys 2017, section 3.6).
//
// A look-up waits for one cache line per step, so what matters is how many steps there are, and how many lines there are in all.
// An entry is four bytes: a hop, or what comes next. That is one of three:
//
//     node   256 entries, one for each value of the next byte: a kilobyte, of which a step touches one line
//     line   of 64 bytes: a path, which are the bytes that an address must go on with; the bytes that may follow it, seven at most, each
//            with an entry; what holds for addresses that leave the path, and for those that follow it to its end and go on otherwise
//     leaves of 64 bytes: up to four prefixes that end within the next eight bytes, and what holds for addresses in none of them
//
// Without compression there are nodes only. With it a child that is its parent's only one is merged with it, and as the path lies in
// the line that has the children, to skip costs no line more than not to: a line takes the place of one node or of several. Only what
// leads to a node of many entries is a line before it, which is its parent's place. Where few prefixes are left they end there: 2001:db8:1::/48
// with 24 bits of its own takes two steps, not four. Lines also stand for nodes with few entries and no path, so a sparse table is a sixteenth
// as large. One function looks up in both forms.
//
// Alternatives. Entries of 16 bytes that hold their path save its line, too: 3.6 times as fast as DPDK's on prefixes alone, but half as fast
// on others, since nodes are then 4 KiB. Bitmaps and a count of their bits (Poptrie, SIGCOMM 2015) make nodes small, and take two lines
// a step. Lines without leaves took three steps where compression saves 1.25 nodes, and were no faster than none.
//
// Memory that is all zeros is a table without routes. The first level takes 64 MiB of address space, of which pages without routes are
// never touched.
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
#define LPM6_MAX_HOP (((uint32_t)1 << 30) - 2)

struct lpm6_route {
  uint8_t prefix[16]; // bits behind the length are ignored
  uint8_t length;     // 0 to 128
  uint32_t hop;       // up to LPM6_MAX_HOP
};

// What an entry is: below all these the hop and one, or 0 where there is no route. Else the lower 26 bits are a place, in lines from the
// table's start.
#define LPM6_IS_NODE ((uint32_t)1 << 30)
#define LPM6_IS_LINE ((uint32_t)2 << 30)
#define LPM6_IS_LEAVES ((uint32_t)3 << 30)

#define LPM6_LINE_CHILDREN 7

struct lpm6_line {
  uint64_t path,
      mask;      // eight bytes of the address, as they lie in memory, and which of their bits are the path
  uint64_t keys; // the children's bytes, from the lowest; the others repeat the last
  uint32_t miss; // the entry, a hop, of those that leave the path
  uint32_t rest; // of those that follow it and are no child
  uint32_t children[LPM6_LINE_CHILDREN];
  uint8_t path_at, key_at; // where in the address the eight bytes begin; which byte comes behind the path
};

#define LPM6_LEAVES 4

struct lpm6_leaves {
  uint64_t path
      [LPM6_LEAVES]; // eight bytes of the address as a number, what contains others before them; the last repeats
  uint32_t entry[LPM6_LEAVES]; // a hop
  uint32_t rest;               // of those in none
  uint8_t unused[LPM6_LEAVES]; // how many bits at the path's end do not count
  uint8_t path_at;             // where in the address the eight bytes begin
};

struct lpm6 {
  char* memory; // 2^24 entries by the first three bytes; nodes and lines
  size_t size;  // what is used of it, in bytes
  void* mapped;
  size_t mapped_size;
};

// A table of these routes; of several with the same prefix the last counts. NULL with errno: EINVAL, a length or hop is out of range;
// ENOMEM. The routes may be freed.
struct lpm6* lpm6_create(const struct lpm6_route* routes, uint32_t count, bool compressed);
void lpm6_free(struct lpm6* table);

// A look-up takes what comes next from here, in turn; lpm6_look_up shows how.
static inline const uint32_t* lpm6_first(const struct lpm6* table, const uint8_t address[16]) {
  return (const uint32_t*)table->memory +
         ((uint32_t)address[0] << 16 | (uint32_t)address[1] << 8 | address[2]);
}
#define LPM6_FIRST_BYTES 3

// Where an entry leads: to what is loaded for the entry that comes after it. *at bytes of the address have been used.
static inline const void* lpm6_place(const struct lpm6* table, uint32_t entry, const uint8_t address[16],
                                     unsigned* at) {
  const char* place = table->memory + (uint32_t)(entry << 6); // drops what the entry is
  return entry < LPM6_IS_LINE ? place + sizeof(uint32_t) * address[(*at)++] : place;
}

// The entry that a line has for an address, of which *at bytes will then have been used.
static inline uint32_t lpm6_follow(const struct lpm6_line* line, const uint8_t address[16], unsigned* at) {
  const uint64_t ones = 0x0101010101010101u;
  uint64_t bytes;
  memcpy(&bytes, address + line->path_at, sizeof bytes);
  if ((bytes ^ line->path) & line->mask) return line->miss;
  const uint64_t differ = line->keys ^ address[line->key_at] * ones;
  const uint64_t same = (differ - ones) & ~differ & ones << 7; // its lowest bit is right
  *at = line->key_at + 1u;
  return same ? line->children[__builtin_ctzll(same) / 8] : line->rest;
}

// The same of leaves: a hop.
static inline uint32_t lpm6_match(const struct lpm6_leaves* leaves, const uint8_t address[16]) {
  uint64_t bytes;
  memcpy(&bytes, address + leaves->path_at, sizeof bytes);
  bytes = __builtin_bswap64(bytes);
  uint32_t entry = leaves->rest;
  for (int i = 0; i < LPM6_LEAVES; ++i)
    entry = (bytes ^ leaves->path[i]) >> leaves->unused[i] ? entry : leaves->entry[i];
  return entry;
}

// The entry that comes after the one with the place.
static inline uint32_t lpm6_next(const void* place, uint32_t entry, const uint8_t address[16], unsigned* at) {
  if (entry < LPM6_IS_LINE) return *(const uint32_t*)place;
  if (entry < LPM6_IS_LEAVES) return lpm6_follow((const struct lpm6_line*)place, address, at);
  return lpm6_match((const struct lpm6_leaves*)place, address);
}

// The hop of the longest prefix with the address; LPM6_NO_ROUTE: there is none.
static inline uint32_t lpm6_look_up(const struct lpm6* table, const uint8_t address[16]) {
  uint32_t entry = *lpm6_first(table, address);
  unsigned at = LPM6_FIRST_BYTES;
  while (entry >= LPM6_IS_NODE)
    entry = lpm6_next(lpm6_place(table, entry, address, &at), entry, address, &at);
  return entry - 1;
}

#ifdef __cplusplus
}
#endif

#endif
