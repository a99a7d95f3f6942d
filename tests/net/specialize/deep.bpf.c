// Fills the stack nearly: a version that needs more of it cannot be made with all passes.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct name {
  char bytes[96];
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct name);
} names SEC(".maps");

// Its key lies in `names`, and is copied to the stack by a version that has this table as code.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8);
  __type(key, struct name);
  __type(value, __u32);
} known SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 8);
  __type(key, __u32);
  __type(value, __u32);
} nothing SEC(".maps");

SEC("xdp") int deep(struct xdp_md* context) {
  char scratch[432];
  __u32 zero = 0;
  if (bpf_xdp_load_bytes(context, 0, scratch, sizeof scratch)) return XDP_ABORTED;
  if (bpf_map_lookup_elem(&nothing, &zero)) return XDP_DROP;
  struct name* name = bpf_map_lookup_elem(&names, &zero);
  if (!name) return XDP_ABORTED;
  __u32* verdict = bpf_map_lookup_elem(&known, name);
  if (bpf_xdp_store_bytes(context, 0, scratch, sizeof scratch)) return XDP_ABORTED;
  return verdict ? *verdict : XDP_PASS;
}

char license_[] SEC("license") = "GPL";
