// Maps that `heddle specialize` leaves alone, each for a reason of its own, and one that it does not.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define TABLE(name, kind)                                                                                    \
  struct {                                                                                                   \
    __uint(type, BPF_MAP_TYPE_##kind);                                                                       \
    __uint(max_entries, 8);                                                                                  \
    __type(key, __u32);                                                                                      \
    __type(value, __u64);                                                                                    \
  } name SEC(".maps")

TABLE(plain, HASH);
TABLE(evicting, LRU_HASH);
TABLE(counts, PERCPU_ARRAY);
TABLE(learnt, HASH);
TABLE(written, ARRAY);
TABLE(handed, HASH);
TABLE(shared, HASH);

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 8);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, __u64);
} mapped SEC(".maps");

struct locked {
  struct bpf_spin_lock lock;
  __u32 number;
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8);
  __type(key, __u32);
  __type(value, struct locked);
} locks SEC(".maps");

struct inner {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8);
  __type(key, __u32);
  __type(value, __u64);
} inner SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 1);
  __type(key, __u32);
  __array(values, struct inner);
} outer SEC(".maps") = {.values = {&inner}};

struct {
  __uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
  __uint(max_entries, 1);
  __type(key, __u32);
  __array(values, struct inner);
} named SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} next SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4096);
} events SEC(".maps");

static __noinline __u64 peek(const __u64* value) {
  return value ? *value : 0;
}

static __always_inline __u64 find(void* map, __u32 key) {
  __u64* value = bpf_map_lookup_elem(map, &key);
  return value ? *value : 0;
}

SEC("xdp") int others(struct xdp_md* context) {
  __u32 key = context->rx_queue_index;
  __u64 sum = find(&plain, key) + find(&evicting, key) + find(&counts, key) + find(&shared, key);
  sum += find(&mapped, key) + find(&inner, key) + find(&learnt, key);
  sum += peek(bpf_map_lookup_elem(&handed, &key));
  struct locked* locked = bpf_map_lookup_elem(&locks, &key);
  if (locked) sum += locked->number;
  __u32 zero = 0;
  void* found = bpf_map_lookup_elem(&outer, &zero);
  if (found) sum += find(found, key);
  found = bpf_map_lookup_elem(&named, &key);
  if (found) sum += find(found, key);
  __u64* value = bpf_map_lookup_elem(&written, &zero);
  if (value) *value = sum;
  bpf_map_update_elem(&learnt, &key, &sum, BPF_ANY);
  bpf_ringbuf_output(&events, &sum, sizeof sum, 0);
  bpf_tail_call(context, &next, 0);
  return XDP_PASS;
}

SEC("xdp") int another(struct xdp_md* context) {
  return find(&shared, 0) ? XDP_PASS : XDP_DROP;
}

char license_[] SEC("license") = "GPL";
