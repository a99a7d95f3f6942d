// Tables whose values the program counts in: rules by port, and one that is empty.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct rule {
  __u32 verdict, mark;
  __u64 packets, bytes;
};

#define TABLE(name)                                                                                          \
  struct {                                                                                                   \
    __uint(type, BPF_MAP_TYPE_HASH);                                                                         \
    __uint(max_entries, 1024);                                                                               \
    __type(key, __u32);                                                                                      \
    __type(value, struct rule);                                                                              \
  } name SEC(".maps")

TABLE(rules);
TABLE(none);

static __always_inline int find(void* table, __u32 key, __u32* packet, __u64 length) {
  struct rule* rule = bpf_map_lookup_elem(table, &key);
  if (!rule) return -1;
  __sync_fetch_and_add(&rule->packets, 1);
  rule->bytes += length;
  if (rule->mark) packet[4] = rule->mark;
  return (int)rule->verdict;
}

SEC("xdp") int counted(struct xdp_md* context) {
  __u32* packet = (void*)(long)context->data;
  void* end = (void*)(long)context->data_end;
  if ((void*)(packet + 8) > end) return XDP_ABORTED;
  int verdict = find(&none, packet[3], packet, end - (void*)packet);
  if (verdict < 0) verdict = find(&rules, packet[3], packet, end - (void*)packet);
  return verdict < 0 ? XDP_PASS : verdict;
}

char license_[] SEC("license") = "GPL";
