// A switch with VLANs (IEEE 802.1Q): it learns where stations are from the frames that they send, sends a frame to its station's port, and
// leaves what has to go to several ports (stations that are not known, groups) to the host's bridge. What was learnt is forgotten after five minutes.
#include "tables.h"

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

enum { tag_bytes = 4 };

#define AGE (300ull * 1000000000ull)
#define FRESH (1000000000ull) // stations are written at most this often

struct tag { // behind the addresses and ETH_P_8021Q
  __be16 control, protocol;
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, MOST_PORTS);
  __type(key, __u32);
  __type(value, struct port);
} ports SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1 << 16);
  __type(key, struct station);
  __type(value, struct seen);
} stations SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, OUTCOMES);
  __type(key, __u32);
  __type(value, __u64);
} outcomes SEC(".maps");

static __always_inline int end(enum outcome outcome, int verdict) {
  __u32 key = outcome;
  __u64* count = bpf_map_lookup_elem(&outcomes, &key);
  if (count) ++*count;
  return verdict;
}

static __always_inline int allows(const struct port* port, __u16 vlan) {
  return vlan == port->untagged || port->tagged >> vlan % 32 & 1;
}

static __always_inline void learn(const struct station* station, __u32 port, __u64 now) {
  struct seen* known = bpf_map_lookup_elem(&stations, station);
  if (known && known->port == port && now - known->when < FRESH) return;
  struct seen seen = {.port = port, .when = now};
  bpf_map_update_elem(&stations, station, &seen, BPF_ANY);
}

// Takes the frame's tag out, or puts one in behind the addresses. False where the packet has no room.
static __always_inline int retag(struct xdp_md* context, int had_tag, __u16 vlan) {
  __u8 addresses[2 * ETH_ALEN];
  void* data = (void*)(long)context->data;
  if (data + sizeof addresses > (void*)(long)context->data_end) return 0;
  __builtin_memcpy(addresses, data, sizeof addresses);
  if (bpf_xdp_adjust_head(context, had_tag ? tag_bytes : -tag_bytes)) return 0;
  data = (void*)(long)context->data;
  if (data + sizeof addresses + tag_bytes > (void*)(long)context->data_end) return 0;
  __builtin_memcpy(data, addresses, sizeof addresses);
  if (!had_tag) {
    __be16* type = data + sizeof addresses;
    type[0] = bpf_htons(ETH_P_8021Q);
    type[1] = bpf_htons(vlan); // the frame's own type follows
  }
  return 1;
}

SEC("xdp") int l2switch(struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* ethernet = (void*)(long)context->data;
  struct tag* tag = (void*)(ethernet + 1);
  if ((void*)tag > data_end) return end(MALFORMED, XDP_DROP);
  __u32 from = context->ingress_ifindex;
  struct port* port = bpf_map_lookup_elem(&ports, &from);
  if (!port) return end(HERE, XDP_PASS);
  int has_tag = ethernet->h_proto == bpf_htons(ETH_P_8021Q);
  __u16 vlan = port->untagged;
  if (has_tag) {
    if ((void*)(tag + 1) > data_end) return end(MALFORMED, XDP_DROP);
    vlan = bpf_ntohs(tag->control) & 0xfff;
  }
  if (vlan == 0 || vlan == 0xfff || !allows(port, vlan)) return end(NOT_ALLOWED, XDP_DROP);
  if (ethernet->h_source[0] & 1) return end(MALFORMED, XDP_DROP); // no group sends

  __u64 now = bpf_ktime_get_ns();
  struct station station = {.vlan = vlan};
  __builtin_memcpy(station.address, ethernet->h_source, ETH_ALEN);
  learn(&station, from, now);
  if (ethernet->h_dest[0] & 1) return end(FLOODED, XDP_PASS);
  __builtin_memcpy(station.address, ethernet->h_dest, ETH_ALEN);
  struct seen* seen = bpf_map_lookup_elem(&stations, &station);
  if (!seen || now - seen->when > AGE) return end(FLOODED, XDP_PASS);
  __u32 to = seen->port;
  if (to == from) return end(HERE, XDP_DROP); // it has got it already
  struct port* out = bpf_map_lookup_elem(&ports, &to);
  if (!out || !allows(out, vlan)) return end(NOT_ALLOWED, XDP_DROP);
  int wants_tag = vlan != out->untagged;
  if (wants_tag != has_tag && !retag(context, has_tag, vlan)) return end(MALFORMED, XDP_DROP);
  return end(SWITCHED, bpf_redirect(to, 0));
}

char license_[] SEC("license") = "GPL";
