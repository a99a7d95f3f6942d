// Building the trie of lpm6.h from all routes at once.
//
// In the order of their addresses, the shorter first, a route comes before all that it contains, and routes that share their first
// bytes lie together. So the entries of a node are made by going through its routes once: those that end in it are written over what
// contains them, and those that go on are a run for each byte, which makes the entry of that byte. Whether the entries then become a
// node or a line depends on how many of them say more than what contains them.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mmap without a file, madvise
#endif
#include "lpm6.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  first_entries = 1 << (8 * LPM6_FIRST_BYTES),
  node_entries = 256,
  lines_in_node = node_entries * sizeof(uint32_t) / sizeof(struct lpm6_line),
  lines_in_first = first_entries * sizeof(uint32_t) / sizeof(struct lpm6_line),
  most_path_bits = 64,
};

// An address as numbers, to be compared and cut.
struct key {
  uint64_t high, low;
  uint32_t hop, order;
  unsigned length;
};

struct build {
  struct lpm6_line* memory;
  uint32_t used; // in lines
  bool compressed;
};

static int compare_keys(const void* left, const void* right) {
  const struct key *a = left, *b = right;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->length != b->length) return a->length < b->length ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static uint64_t word(const uint8_t* bytes) {
  uint64_t result;
  memcpy(&result, bytes, sizeof result);
  return be64toh(result);
}

static uint64_t mask(unsigned length) {
  return length == 0 ? 0 : ~(uint64_t)0 << (64 - length);
}

// 64 bits of the address from the bit on; zeros come after its end.
static uint64_t bits_from(const struct key* key, unsigned bit) {
  if (bit == 0) return key->high;
  if (bit < 64) return key->high << bit | key->low >> (64 - bit);
  return bit < 128 ? key->low << (bit - 64) : 0;
}

// How many bits both begin with.
static unsigned common_bits(const struct key* a, const struct key* b) {
  if (a->high != b->high) return (unsigned)__builtin_clzll(a->high ^ b->high);
  if (a->low != b->low) return 64 + (unsigned)__builtin_clzll(a->low ^ b->low);
  return 128;
}

static unsigned bytes_of(unsigned bits) {
  return (bits + 7) / 8;
}

static uint32_t leaf(uint32_t hop) {
  return hop + 1;
}

static uint32_t entry_of(struct build* build, const struct key* keys, uint32_t count, unsigned bytes,
                         uint32_t inherited);

// Fills the entries of a level that is indexed by `width` bytes behind the first `bytes`, which all keys share; all keys are longer than
// these. Entries hold what contains the level.
static void fill(struct build* build, uint32_t* entries, unsigned width, const struct key* keys,
                 uint32_t count, unsigned bytes) {
  const unsigned end = 8 * (bytes + width);
  for (uint32_t i = 0; i < count;) {
    uint32_t* entry = &entries[bits_from(&keys[i], 8 * bytes) >> (64 - 8 * width)];
    if (keys[i].length <= end) {
      for (uint32_t left = (uint32_t)1 << (end - keys[i].length); left > 0; --left)
        *entry++ = leaf(keys[i].hop);
      ++i;
      continue;
    }
    const uint32_t from = i;
    while (i < count && common_bits(&keys[from], &keys[i]) >= end)
      ++i;
    *entry = entry_of(build, &keys[from], i - from, bytes + width, *entry);
  }
}

static uint32_t node_of(struct build* build, const uint32_t* entries) {
  const uint32_t at = build->used;
  build->used += lines_in_node;
  memcpy(&build->memory[at], entries, node_entries * sizeof *entries);
  return LPM6_IS_NODE | at;
}

// Eight bytes of the address from here on hold the path, if any do: not beyond its end.
static unsigned path_at(unsigned bytes) {
  return bytes < 8 ? bytes : 8;
}

// The path is so many bits of the key behind its first `bytes`; the children are the given bytes' entries, one at least.
static uint32_t line_of(struct build* build, const struct key* key, unsigned bytes, unsigned bits,
                        uint32_t miss, uint32_t rest, const uint8_t* children, const uint32_t* entries,
                        unsigned count) {
  const uint32_t at = build->used++;
  struct lpm6_line* line = (void*)&build->memory[at];
  line->path_at = (uint8_t)path_at(bytes);
  line->key_at = (uint8_t)(bytes + bits / 8);
  line->path = htobe64(bits_from(key, 8 * path_at(bytes)));
  line->mask = htobe64(mask(bits) >> (8 * (bytes - path_at(bytes))));
  line->miss = miss;
  line->rest = rest;
  for (unsigned i = 0; i < 8; ++i) {
    const uint8_t child = children[i < count ? i : count - 1];
    line->keys |= (uint64_t)child << (8 * i);
    if (i < LPM6_LINE_CHILDREN) line->children[i] = entries[child];
  }
  return LPM6_IS_LINE | at;
}

static bool fit_leaves(const struct key* keys, uint32_t count, unsigned bytes) {
  if (count > LPM6_LEAVES) return false;
  for (uint32_t i = 0; i < count; ++i)
    if (keys[i].length > 8 * path_at(bytes) + 64) return false;
  return true;
}

static uint32_t leaves_of(struct build* build, const struct key* keys, uint32_t count, unsigned bytes,
                          uint32_t rest) {
  const uint32_t at = build->used++;
  struct lpm6_leaves* leaves = (void*)&build->memory[at];
  leaves->path_at = (uint8_t)path_at(bytes);
  leaves->rest = rest;
  for (uint32_t i = 0; i < LPM6_LEAVES; ++i) {
    const struct key* key = &keys[i < count ? i : count - 1];
    leaves->path[i] = bits_from(key, 8 * path_at(bytes));
    leaves->unused[i] = (uint8_t)(8 * path_at(bytes) + 64 - key->length);
    leaves->entry[i] = leaf(key->hop);
  }
  return LPM6_IS_LEAVES | at;
}

// How many bits behind the first `bytes` can be skipped: whole bytes that all keys have, none ending before.
static unsigned skipped(const struct key* keys, uint32_t count, unsigned bytes) {
  unsigned bits = common_bits(&keys[0], &keys[count - 1]);
  for (uint32_t i = 0; i < count; ++i)
    if (keys[i].length < bits) bits = keys[i].length;
  bits = (bits - 8 * bytes) & ~7u;
  return bits < most_path_bits ? bits : most_path_bits;
}

// The entry for keys that share their first `bytes`, and are longer; inherited is the hop of what contains them, as an entry.
static uint32_t entry_of(struct build* build, const struct key* keys, uint32_t count, unsigned bytes,
                         uint32_t inherited) {
  const struct key* const first = keys;
  const unsigned alone = keys[0].length - 8 * bytes;
  if (build->compressed && fit_leaves(keys, count, bytes))
    return leaves_of(build, keys, count, bytes, inherited);

  unsigned bits = 0;
  if (build->compressed) bits = count == 1 ? most_path_bits : skipped(keys, count, bytes);
  uint32_t rest = inherited;
  // One that ends where the path does is what contains its children.
  if (alone == bits) {
    rest = leaf(keys[0].hop);
    ++keys;
    --count;
  }
  uint32_t entries[node_entries];
  for (unsigned i = 0; i < node_entries; ++i)
    entries[i] = rest;
  fill(build, entries, 1, keys, count, bytes + bits / 8);
  if (!build->compressed) return node_of(build, entries);

  uint8_t children[LPM6_LINE_CHILDREN];
  unsigned found = 0;
  for (unsigned i = 0; i < node_entries; ++i) {
    if (entries[i] == rest) continue;
    if (found < LPM6_LINE_CHILDREN) children[found] = (uint8_t)i;
    ++found;
  }
  // All say what contains them: so does any byte.
  if (found == 0) children[found++] = 0;
  if (found <= LPM6_LINE_CHILDREN)
    return line_of(build, first, bytes, bits, inherited, rest, children, entries, found);
  const uint32_t node = node_of(build, entries);
  if (bits == 0) return node;
  // The path's last byte is the line's one child.
  const uint8_t last = (uint8_t)(bits_from(first, 8 * bytes + bits - 8) >> 56);
  entries[last] = node;
  return line_of(build, first, bytes, bits - 8, inherited, inherited, &last, entries, 1);
}

// Sorted, the last of each prefix; how many, or -1 with errno.
static int64_t make_keys(struct key* keys, const struct lpm6_route* routes, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const struct lpm6_route* route = &routes[i];
    if (route->length > 128 || route->hop > LPM6_MAX_HOP) {
      errno = EINVAL;
      return -1;
    }
    const unsigned high = route->length < 64 ? route->length : 64;
    keys[i] =
        (struct key){word(route->prefix) & mask(high), word(route->prefix + 8) & mask(route->length - high),
                     route->hop, i, route->length};
  }
  qsort(keys, count, sizeof *keys, compare_keys);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (kept > 0 && keys[kept - 1].length == keys[i].length && common_bits(&keys[kept - 1], &keys[i]) == 128)
      --kept;
    keys[kept++] = keys[i];
  }
  return kept;
}

// How many nodes the trie has without compression. A node is a key's if no key before has come by, and only the last before can have.
static uint64_t count_nodes(const struct key* keys, uint32_t count) {
  uint64_t nodes = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const unsigned end = bytes_of(keys[i].length);
    unsigned shared = LPM6_FIRST_BYTES;
    if (i > 0) {
      const unsigned same = common_bits(&keys[i - 1], &keys[i]) / 8 + 1,
                     before = bytes_of(keys[i - 1].length);
      shared = same < before ? same : before;
      if (shared < LPM6_FIRST_BYTES) shared = LPM6_FIRST_BYTES;
    }
    if (end > shared) nodes += end - shared;
  }
  return nodes;
}

// All zeros, in large pages where they can be had.
static struct lpm6* map_table(uint64_t lines) {
  const size_t page = (size_t)2 << 20;
  if (lines > UINT32_MAX / sizeof(struct lpm6_line)) {
    errno = ENOMEM;
    return NULL;
  }
  struct lpm6* table = malloc(sizeof *table);
  if (!table) return NULL;
  table->mapped_size = lines * sizeof(struct lpm6_line) + page;
  table->mapped = mmap(NULL, table->mapped_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table->mapped == MAP_FAILED) {
    free(table);
    return NULL;
  }
  // An offset, not a rounded number: what points to the table stays plain to see.
  table->memory = (char*)table->mapped + (-(uintptr_t)table->mapped & (page - 1));
  // Without them look-ups are slower, and right.
  (void)madvise(table->memory, table->mapped_size - page, MADV_HUGEPAGE);
  return table;
}

struct lpm6* lpm6_create(const struct lpm6_route* routes, uint32_t count, bool compressed) {
  struct key* keys = malloc(sizeof *keys * ((size_t)count + 1));
  if (!keys) return NULL;
  const int64_t kept = make_keys(keys, routes, count);
  struct lpm6* table = NULL;
  if (kept >= 0) table = map_table(lines_in_first + lines_in_node * count_nodes(keys, (uint32_t)kept));
  if (table) {
    struct build build = {(void*)table->memory, lines_in_first, compressed};
    fill(&build, (void*)table->memory, LPM6_FIRST_BYTES, keys, (uint32_t)kept, 0);
    table->size = build.used * sizeof(struct lpm6_line);
  }
  free(keys);
  return table;
}

void lpm6_free(struct lpm6* table) {
  if (!table) return;
  munmap(table->mapped, table->mapped_size);
  free(table);
}
