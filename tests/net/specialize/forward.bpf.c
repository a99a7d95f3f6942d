// A forwarder for the tests of `heddle specialize`: a table of each kind that is specialized, and one that is not.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#ifndef DENIED
#define DENIED XDP_DROP
#endif

struct prefix {
  __u32 bits, address;
};

struct hop {
  __u32 mark, verdict;
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 64);
  __type(key, __u32);
  __type(value, __u32);
} denied SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(max_entries, 64);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct prefix);
  __type(value, __u32);
} routes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 4);
  __type(key, __u32);
  __type(value, struct hop);
} hops SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} packets SEC(".maps");

const volatile __u32 verbose = 0;

SEC("xdp") int forward(struct xdp_md* context) {
  __u32* packet = (void*)(long)context->data;
  if ((void*)(packet + 8) > (void*)(long)context->data_end) return XDP_ABORTED;
  __u32 zero = 0, source = packet[3], *number;
  struct prefix to = {32, packet[4]};
  if (bpf_map_lookup_elem(&denied, &source)) return DENIED;
  number = bpf_map_lookup_elem(&routes, &to);
  if (!number) return XDP_PASS;
  struct hop* hop = bpf_map_lookup_elem(&hops, number);
  if (!hop) return XDP_ABORTED;
  packet[5] = hop->mark;
  __u32 verdict = hop->verdict;
  __u64* count = bpf_map_lookup_elem(&packets, &zero);
  if (count) ++*count;
  if (verbose) bpf_printk("%d", verdict);
  return verdict;
}

char license_[] SEC("license") = "GPL";
