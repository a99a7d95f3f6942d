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

/* Eight bytes of a key, or those that are left, and zeros. Bytes that nobody has written are arbitrary, and the same in all that follows: hence
   the empty statement. */
static inline __attribute__((always_inline)) __u64 heddle_index_word(const __u8* key, __u32 at, __u32 bytes) {
  __u64 word = 0;
  __u32 shift = 0;
  if (bytes - at >= 8) {
    __builtin_memcpy(&word, key + at, 8);
  } else {
    if (bytes & 4) {
      __u32 four;
      __builtin_memcpy(&four, key + at, 4);
      word = four;
      at += 4;
      shift = 32;
    }
    if (bytes & 2) {
      __u16 two;
      __builtin_memcpy(&two, key + at, 2);
      word |= (__u64)two << shift;
      at += 2;
      shift += 16;
    }
    if (bytes & 1) word |= (__u64)key[at] << shift;
  }
  __asm__("" : "+r"(word));
  return word;
}

/* The upper bits of what this returns depend on all bits of both. */
static inline __attribute__((always_inline)) __u64 heddle_index_mix(__u64 hash, __u64 word) {
  return (hash ^ hash >> 32 ^ word) * 0x9e3779b97f4a7c15ull;
}

static inline __attribute__((always_inline)) __u64 heddle_index_hash(const __u8* key, __u32 bytes,
                                                                     __u64 seed) {
  for (__u32 at = 0; at < bytes; at += 8)
    seed = heddle_index_mix(seed, heddle_index_word(key, at, bytes));
  return seed;
}

/* Where in the second array what has this hash is, if it is moved by so many places: in one of 2^bits. */
static inline __attribute__((always_inline)) __u32 heddle_index_slot(__u64 hash, __u32 moved, __u32 bits) {
  return ((__u32)(heddle_index_mix(hash, 0) >> (64 - bits)) + moved) & ((1u << bits) - 1);
}

/* The value of the key in an index of any keys, or null. The nodes are 2^node_bits, and the values 2^slot_bits, each behind its key. */
static inline __attribute__((always_inline)) __u8* heddle_index_hashed(const struct heddle_index* index,
                                                                       const __u8* key, __u32 bytes,
                                                                       __u64 seed, __u32 node_bits,
                                                                       __u32 slot_bits) {
  __u64 hash = heddle_index_hash(key, bytes, seed), differ = 0;
  __u32 slot = heddle_index_slot(hash, index->nodes[hash >> (64 - node_bits)], slot_bits);
  __u8* stored = index->values + slot * index->value_bytes;
  for (__u32 at = 0; at < bytes; at += 8)
    differ |= heddle_index_word(key, at, bytes) ^ *(const __u64*)(stored + at);
  return differ ? 0 : stored + (bytes + 7) / 8 * 8;
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
