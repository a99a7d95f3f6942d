// What lookups and compares cost on this machine (host_costs.h). Each program makes HEDDLE_COST_STEPS of one kind, of entries drawn at random; every draw
// waits for what was found before, so what is measured is the time until it is there, and not how many go on at once.
#include "cost_layout.h"

#include "specialize/index_find.h"

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct wide_key {
  __u32 number;
  __u8 more[HEDDLE_COST_WIDE - sizeof(__u32)];
};

struct prefix {
  __u32 bits, address;
};

#define TABLE(name, map_type, key_type, entries, flags)                                                      \
  struct {                                                                                                   \
    __uint(type, map_type);                                                                                  \
    __uint(max_entries, entries);                                                                            \
    __uint(map_flags, flags);                                                                                \
    __type(key, key_type);                                                                                   \
    __type(value, __u64);                                                                                    \
  } name SEC(".maps")

TABLE(cost_array, BPF_MAP_TYPE_ARRAY, __u32, HEDDLE_COST_ENTRIES, 0);
TABLE(cost_few, BPF_MAP_TYPE_HASH, __u32, HEDDLE_COST_FEW, 0);
TABLE(cost_many, BPF_MAP_TYPE_HASH, __u32, HEDDLE_COST_ENTRIES, 0);
TABLE(cost_wide, BPF_MAP_TYPE_HASH, struct wide_key, HEDDLE_COST_FEW, 0);
TABLE(cost_few_prefixes, BPF_MAP_TYPE_LPM_TRIE, struct prefix, HEDDLE_COST_FEW, BPF_F_NO_PREALLOC);
TABLE(cost_many_prefixes, BPF_MAP_TYPE_LPM_TRIE, struct prefix, HEDDLE_COST_ENTRIES, BPF_F_NO_PREALLOC);

__u64 drawn; // the last number
// Zeros, of which the compiler does not know.
__u32 zero;
__u32 nodes[HEDDLE_COST_ENTRIES];
__u8 slots[HEDDLE_COST_ENTRIES * (HEDDLE_COST_WIDE + 8)] __attribute__((aligned(8)));

struct { // the bits of the number drawn that each branch asks for
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct heddle_asked);
} asked SEC(".maps");

static __always_inline __u32 draw(__u64 found) {
  drawn = (drawn + found) * 6364136223846793005ull + 1442695040888963407ull;
  return drawn >> 33;
}

// A program of that name; what follows is one step, from a number drawn to what it finds, which is zero, and which nobody knows beforehand.
#define MEASURED(name)                                                                                       \
  static __always_inline __u64 name##_step(__u32 at);                                                        \
  SEC("tc") int name(struct __sk_buff* packet) {                                                             \
    __u64 found = 0;                                                                                         \
    for (int i = 0; i != HEDDLE_COST_STEPS; ++i)                                                             \
      found = name##_step(draw(found));                                                                      \
    return 0;                                                                                                \
  }                                                                                                          \
  static __always_inline __u64 name##_step(__u32 at)

static __always_inline __u64 look_up(void* map, const void* key) {
  __u64* value = bpf_map_lookup_elem(map, key);
  return value ? *value : 0;
}

MEASURED(nothing) {
  return nodes[0];
}

MEASURED(array) {
  at %= HEDDLE_COST_ENTRIES;
  return look_up(&cost_array, &at);
}

MEASURED(few) {
  at %= HEDDLE_COST_FEW;
  return look_up(&cost_few, &at);
}

MEASURED(many) {
  at %= HEDDLE_COST_ENTRIES;
  return look_up(&cost_many, &at);
}

MEASURED(wide) {
  struct wide_key key = {at % HEDDLE_COST_FEW, {0}};
  return look_up(&cost_wide, &key);
}

MEASURED(few_prefixes) {
  struct prefix key = {32, HEDDLE_COST_ADDRESS(at % HEDDLE_COST_FEW)};
  return look_up(&cost_few_prefixes, &key);
}

MEASURED(many_prefixes) {
  struct prefix key = {32, HEDDLE_COST_ADDRESS(at % HEDDLE_COST_ENTRIES)};
  return look_up(&cost_many_prefixes, &key);
}

MEASURED(loads) {
  __u32 found = nodes[at % HEDDLE_COST_ENTRIES];
  return nodes[(at + found) % HEDDLE_COST_ENTRIES];
}

// As in an index of any keys: all are zeros, and so are these.
static __always_inline __u64 find_hashed(const void* key, __u32 bytes) {
  const struct heddle_index index = {nodes, HEDDLE_COST_ENTRIES, slots, HEDDLE_COST_ENTRIES,
                                     HEDDLE_COST_WIDE + 8};
  __u8* value = heddle_index_hashed(&index, key, bytes, 1, HEDDLE_COST_ENTRY_BITS, HEDDLE_COST_ENTRY_BITS);
  return value ? *(__u64*)value : 0;
}

MEASURED(hashed) {
  __u32 key = at & zero;
  return find_hashed(&key, sizeof key);
}

MEASURED(wide_hashed) {
  struct wide_key key = {at & zero, {0}};
  return find_hashed(&key, sizeof key);
}

MEASURED(branches) {
  __u64 found = nodes[0];
  __u32 first = 0;
  struct heddle_asked* bits = bpf_map_lookup_elem(&asked, &first);
  if (!bits) return 0;
  for (int branch = 0; branch != HEDDLE_COST_BRANCHES; ++branch)
    if (at & bits->of_branch[branch])
      __asm__ volatile("%0 += 0" : "+r"(found));
    else
      __asm__ volatile("%0 -= 0" : "+r"(found));
  return found;
}

char heddle_license[] SEC("license") = "GPL";
