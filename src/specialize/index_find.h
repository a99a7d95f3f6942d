/* Lookups in an index (index.h), in the C that eBPF and tests share. */
#ifndef HEDDLE_SPECIALIZE_INDEX_FIND_H
#define HEDDLE_SPECIALIZE_INDEX_FIND_H

#include <linux/types.h>

#define HEDDLE_INDEX_NOTHING 0x7fffffffu /* of a node: no entry; no value has this number */
#define HEDDLE_INDEX_BELOW 0x80000000u /* flag of a node: the rest is the number of the first of 256 nodes */

struct heddle_index {
  const __u32* nodes;
  __u32 node_count;
  __u8* values;
  __u32 value_count, value_bytes;
};

static inline __attribute__((always_inline)) __u8* heddle_index_value(const struct heddle_index* index,
                                                                      __u32 number) {
  return number < index->value_count ? index->values + number * index->value_bytes : 0;
}

/* The value of the key in an index of numbers, or null. */
static inline __attribute__((always_inline)) __u8* heddle_index_number(const struct heddle_index* index,
                                                                       const __u8* key, __u32 bytes,
                                                                       __u32 swapped, __u32 least) {
  __u32 number = 0;
  if (bytes == 1)
    number = key[0];
  else
    __builtin_memcpy(&number, key, bytes == 2 ? 2 : 4);
  if (swapped && bytes != 1)
    number = bytes == 2 ? __builtin_bswap16((__u16)number) : __builtin_bswap32(number);
  __u32 at = number - least;
  /* Or LLVM, where it knows that nothing wraps, subtracts behind the bound's check, and the verifier refuses that. */
  __asm__("" : "+r"(at));
  return at < index->node_count ? heddle_index_value(index, index->nodes[at]) : 0;
}

/* The value of the longest prefix of the key's address in an index of prefixes, or null. `levels`: below the first. */
static inline __attribute__((always_inline)) __u8* heddle_index_prefix(const struct heddle_index* index,
                                                                       const __u8* key, __u32 levels) {
  const __u8* address = key + 4; /* behind its length */
  __u32 at = (__u32)address[0] << 8 | address[1], found = 0;
  for (__u32 level = 0; level <= levels; ++level) {
    if (at >= index->node_count) return 0;
    found = index->nodes[at];
    if (!(found & HEDDLE_INDEX_BELOW)) break;
    at = (found & ~HEDDLE_INDEX_BELOW) + address[2 + level];
  }
  return heddle_index_value(index, found);
}

#endif
