// Building the trie of lpm6.h from all routes at once.
//
// In the order of their addresses, the shorter first, a route comes before all that it contains, and routes that share their first
// bytes lie together. So a node is made by going through its routes once: those that end in it are written over what contains
// them, and those that go on are a run for each byte, which makes the entry of that byte.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mmap without a file, madvise
#endif
#include "lpm6.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
  first_bytes = 3,
  first_entries = 1 << (8 * first_bytes),
  node_entries = 256,
  // Of these, the last four are padding: a line. Without it the same byte would lie in the same sets of the caches in every node.
  node_stride = node_entries + 4,
  most_leaf_bits = 56,
  most_node_bits = 48,
};

// An address as numbers, to be compared and cut.
struct key {
  uint64_t high, low;
  uint32_t hop, order;
  unsigned length;
};

struct build {
  struct lpm6_entry* entries;
  uint32_t used;
  bool compressed;
};

static int compare_keys(const void* left, const void* right) {
  const struct key *a = left, *b = right;
  if (a->high != b->high) return a->high < b->high ? -1 : 1;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->length != b->length) return a->length < b->length ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
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

static struct lpm6_entry leaf(uint32_t hop) {
  const struct lpm6_entry entry = {0, ~hop, 0};
  return entry;
}

static struct lpm6_entry entry_of(struct build* build, const struct key* keys, uint32_t count, unsigned bytes,
                                  uint32_t hop);

// Fills the entries of a level that is indexed by `width` bytes behind the first `bytes`, which all keys share; all keys are longer than
// these. Entries hold what contains the level.
static void fill(struct build* build, uint32_t at, unsigned width, const struct key* keys, uint32_t count,
                 unsigned bytes) {
  const unsigned end = 8 * (bytes + width);
  for (uint32_t i = 0; i < count;) {
    struct lpm6_entry* entry = &build->entries[at + (bits_from(&keys[i], 8 * bytes) >> (64 - 8 * width))];
    if (keys[i].length <= end) {
      const struct lpm6_entry ends = leaf(keys[i].hop);
      for (uint32_t left = 1u << (end - keys[i].length); left > 0; --left)
        *entry++ = ends;
      ++i;
      continue;
    }
    const uint32_t from = i;
    while (i < count && common_bits(&keys[from], &keys[i]) >= end)
      ++i;
    *entry = entry_of(build, &keys[from], i - from, bytes + width, ~entry->target);
  }
}

// Gives its first entry.
static uint32_t node_of(struct build* build, const struct key* keys, uint32_t count, unsigned bytes,
                        uint32_t hop) {
  const uint32_t at = build->used;
  build->used += node_stride;
  const struct lpm6_entry inherited = leaf(hop);
  for (uint32_t i = 0; i < node_entries; ++i)
    build->entries[at + i] = inherited;
  fill(build, at, 1, keys, count, bytes);
  return at;
}

// How many bits behind the first `bytes` can be skipped before a node: whole bytes that all keys have, none ending before.
static unsigned skipped(const struct key* keys, uint32_t count, unsigned bytes) {
  unsigned bits = common_bits(&keys[0], &keys[count - 1]);
  for (uint32_t i = 0; i < count; ++i)
    if (keys[i].length < bits) bits = keys[i].length;
  bits = (bits - 8 * bytes) & ~7u;
  return bits < most_node_bits ? bits : most_node_bits;
}

// The entry for keys that share their first `bytes`, and are longer; hop is that of what contains them.
static struct lpm6_entry entry_of(struct build* build, const struct key* keys, uint32_t count, unsigned bytes,
                                  uint32_t hop) {
  const uint64_t path = bits_from(keys, 8 * bytes);
  struct lpm6_entry entry = {0, 0, ~hop};
  unsigned bits = 0;
  if (build->compressed && count == 1 && keys[0].length - 8 * bytes <= most_leaf_bits) {
    bits = keys[0].length - 8 * bytes;
    entry.path = (path & mask(bits)) | bits;
    entry.target = ~keys[0].hop;
    return entry;
  }
  if (build->compressed) bits = count == 1 ? most_node_bits : skipped(keys, count, bytes);
  entry.path = (path & mask(bits)) | bits | LPM6_NODE;
  // One that ends where the path does is what contains the node.
  if (keys[0].length == 8 * bytes + bits) {
    hop = keys[0].hop;
    ++keys;
    --count;
  }
  entry.target = node_of(build, keys, count, bytes + bits / 8, hop);
  return entry;
}

// Sorted, the last of each prefix; how many, or -1 with errno.
static int64_t make_keys(struct key* keys, const struct lpm6_route* routes, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const struct lpm6_route* route = &routes[i];
    if (route->length > 128 || route->hop == LPM6_NO_ROUTE) {
      errno = EINVAL;
      return -1;
    }
    const unsigned high = route->length < 64 ? route->length : 64;
    keys[i] =
        (struct key){lpm6_word(route->prefix) & mask(high),
                     lpm6_word(route->prefix + 8) & mask(route->length - high), route->hop, i, route->length};
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
    unsigned shared = first_bytes;
    if (i > 0) {
      const unsigned same = common_bits(&keys[i - 1], &keys[i]) / 8 + 1,
                     before = bytes_of(keys[i - 1].length);
      shared = same < before ? same : before;
      if (shared < first_bytes) shared = first_bytes;
    }
    if (end > shared) nodes += end - shared;
  }
  return nodes;
}

// All entries zero, in large pages where they can be had.
static struct lpm6* map_table(uint64_t entries) {
  const size_t page = (size_t)2 << 20;
  if (entries > UINT32_MAX) {
    errno = ENOMEM;
    return NULL;
  }
  struct lpm6* table = malloc(sizeof *table);
  if (!table) return NULL;
  table->mapped_size = entries * sizeof *table->entries + page;
  table->mapped = mmap(NULL, table->mapped_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table->mapped == MAP_FAILED) {
    free(table);
    return NULL;
  }
  table->entries = (struct lpm6_entry*)(((uintptr_t)table->mapped + page - 1) & ~(uintptr_t)(page - 1));
  // Without them look-ups are slower, and right.
  (void)madvise(table->entries, table->mapped_size - page, MADV_HUGEPAGE);
  return table;
}

struct lpm6* lpm6_create(const struct lpm6_route* routes, uint32_t count, bool compressed) {
  struct key* keys = malloc(sizeof *keys * ((size_t)count + 1));
  if (!keys) return NULL;
  const int64_t kept = make_keys(keys, routes, count);
  struct lpm6* table = NULL;
  if (kept >= 0) table = map_table(first_entries + node_stride * count_nodes(keys, (uint32_t)kept));
  if (table) {
    struct build build = {table->entries, first_entries, compressed};
    fill(&build, 0, first_bytes, keys, (uint32_t)kept, 0);
    table->size = build.used * sizeof *table->entries;
  }
  free(keys);
  return table;
}

void lpm6_free(struct lpm6* table) {
  if (!table) return;
  munmap(table->mapped, table->mapped_size);
  free(table);
}
