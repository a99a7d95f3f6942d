// Reads the same number from six tables, in the opposite order of the writers', and writes what it has found to the packet. It counts in
// the values of the last, too. The one before that is not specialized: what it gives is always of that moment.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

// Where key 0 is in `large`, and keys 0 and 1 in `rare`: with a byte that no other has, as long as they are there.
#define FAR_KEY 3000
#define FARTHER_KEY 5000

struct prefix {
  __u32 bits, address;
};

struct marked {
  __u64 number;
  __u32 mark, unused;
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __type(key, __u32);
  __type(value, struct marked);
} large SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(max_entries, 64);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct prefix);
  __type(value, __u64);
} prefixes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 8);
  __type(key, __u32);
  __type(value, __u64);
} slots SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8);
  __type(key, __u32);
  __type(value, __u64);
} few SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 64);
  __type(key, __u32);
  __type(value, __u64);
} alone SEC(".maps");

struct counted {
  __u64 number, packets;
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __type(key, __u32);
  __type(value, struct counted);
} rare SEC(".maps");

struct question {
  __u32 key, rounds;    // `rounds`: how long it takes
  __u64 mark, found[6]; // large, prefixes, slots, few, alone, rare
};

static long step(__u32 round, void* unused) {
  bpf_ktime_get_ns();
  return 0;
}

// Time for the tables to change while a packet is under way.
static __always_inline void dawdle(__u32 rounds) {
  bpf_loop(rounds, step, 0, 0);
}

SEC("xdp") int stress(struct xdp_md* context) {
  struct question* question = (void*)(long)context->data;
  if ((void*)(question + 1) > (void*)(long)context->data_end) return XDP_ABORTED;
  __u32 key = question->key;
  struct prefix prefix = {32, key};
  dawdle(question->rounds);
  __u32 place = key == 0 ? FAR_KEY : key;
  struct marked* marked = bpf_map_lookup_elem(&large, &place);
  question->mark = marked && marked->mark != 0; // most of the time a constant of the whole table
  question->found[0] = marked ? marked->number : 0;
  __u64* value = bpf_map_lookup_elem(&prefixes, &prefix);
  question->found[1] = value ? *value : 0;
  value = bpf_map_lookup_elem(&slots, &key);
  question->found[2] = value ? *value : 0;
  dawdle(question->rounds);
  value = bpf_map_lookup_elem(&few, &key);
  question->found[3] = value ? *value : 0;
  int verdict = value ? XDP_TX : XDP_PASS;
  dawdle(4 * question->rounds);
  value = bpf_map_lookup_elem(&alone, &key);
  question->found[4] = value ? *value : 0;
  place = key == 0 ? FAR_KEY : FARTHER_KEY;
  struct counted* counted = bpf_map_lookup_elem(&rare, &place);
  question->found[5] = counted ? counted->number : 0;
  if (counted) ++counted->packets;
  return verdict;
}

char license_[] SEC("license") = "GPL";
