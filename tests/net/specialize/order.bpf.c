// Lookups and reads in an order that matters: a key in another table's value, an element that is read late.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define TABLE(name, kind, entries)                                                                           \
  struct {                                                                                                   \
    __uint(type, kind);                                                                                      \
    __uint(max_entries, entries);                                                                            \
    __type(key, __u32);                                                                                      \
    __type(value, __u32);                                                                                    \
  } name SEC(".maps")

TABLE(many, BPF_MAP_TYPE_ARRAY, 64);
TABLE(behind, BPF_MAP_TYPE_ARRAY, 4);
TABLE(late, BPF_MAP_TYPE_ARRAY, 4);
TABLE(count, BPF_MAP_TYPE_PERCPU_ARRAY, 1);

SEC("xdp") int order(struct xdp_md* context) {
  __u32* packet = (void*)(long)context->data;
  if ((void*)(packet + 8) > (void*)(long)context->data_end) return XDP_ABORTED;
  __u32 key = packet[3], zero = 0;
  __u32* number = bpf_map_lookup_elem(&many, &key);
  if (!number) return XDP_ABORTED;
  __u32* found = bpf_map_lookup_elem(&behind, number);
  if (!found) return XDP_ABORTED;
  packet[4] = *found;
  __u32* element = bpf_map_lookup_elem(&late, &key);
  __u32* counter = bpf_map_lookup_elem(&count, &zero);
  if (!element || !counter) return XDP_ABORTED;
  ++*counter;
  packet[5] = *element;
  return XDP_TX;
}

char license_[] SEC("license") = "GPL";
