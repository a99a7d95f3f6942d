// Translates addresses and ports (RFC 3022, with mappings that depend on both ends): many hosts inside share one address. A
// connection from inside takes a free port of it; what comes back to that port from the other end goes to its host, and so do
// connections from outside to the services that are listed. What is for neither goes to the host's network stack.
#include "tables.h"

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

enum { first_port = 1024, ports = 64512, tries = 16 };

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct sides);
} sides SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1024);
  __type(key, struct service_key);
  __type(value, struct host);
} services SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1 << 18);
  __type(key, struct flow);
  __type(value, struct translation);
} outward SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1 << 18);
  __type(key, struct flow);
  __type(value, struct translation);
} inward SEC(".maps");

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

// The finalizer of MurmurHash3 (64 bits) over the connection's parts.
static __always_inline __u32 hash(const struct flow* flow) {
  __u64 h = (__u64)flow->source << 32 | flow->destination;
  h ^= ((__u64)flow->source_port << 24 | (__u64)flow->destination_port << 8 | flow->protocol) *
       0x9e3779b97f4a7c15ull;
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ull;
  return h ^ h >> 33;
}

// RFC 1624, equation 3: the checksum once `before` has become `after`.
static __always_inline __u16 changed(__u16 checksum, __u32 before, __u32 after) {
  __u64 sum = (__u16)~checksum;
  sum += (__u16)~before + (__u16) ~(before >> 16);
  sum += (after & 0xffff) + (after >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return ~sum;
}

struct packet {
  struct ethhdr* ethernet;
  struct iphdr* ip;
  __u16 *ports, *checksum; // of the transport; its source port comes first
};

// Puts an address and a port in the place of the packet's source (`end` 0) or destination (1).
static __always_inline void translate(struct packet* packet, int end, __u32 address, __u16 port) {
  struct iphdr* ip = packet->ip;
  __u32 old_address = end ? ip->daddr : ip->saddr;
  __u16 old_port = packet->ports[end];
  if (end)
    ip->daddr = address;
  else
    ip->saddr = address;
  packet->ports[end] = port;
  ip->check = changed(ip->check, old_address, address);
  if (ip->protocol == IPPROTO_UDP && *packet->checksum == 0) return; // none was made
  __u16 checksum = changed(changed(*packet->checksum, old_address, address), old_port, port);
  *packet->checksum = ip->protocol == IPPROTO_UDP && checksum == 0 ? 0xffff : checksum;
}

static __always_inline int forward(struct packet* packet, const __u8* from, const __u8* to,
                                   enum outcome outcome) {
  struct iphdr* ip = packet->ip;
  ip->check = changed(ip->check, bpf_htons(ip->ttl << 8), bpf_htons((ip->ttl - 1) << 8));
  --ip->ttl;
  __builtin_memcpy(packet->ethernet->h_source, from, ETH_ALEN);
  __builtin_memcpy(packet->ethernet->h_dest, to, ETH_ALEN);
  return end(outcome, XDP_TX);
}

// A port for the connection: entries for both ways. 0: none is free.
static __always_inline __u16 take_port(const struct flow* flow, const struct sides* side) {
  struct flow back = {.source = flow->destination,
                      .destination = side->address,
                      .source_port = flow->destination_port,
                      .protocol = flow->protocol};
  struct translation inside = {
      .address = flow->source, .port = flow->source_port, .seen = bpf_ktime_get_ns()};
  __u32 start = hash(flow);
  for (__u32 i = 0; i != tries; ++i) {
    __u16 port = bpf_htons(first_port + (start + i) % ports);
    struct service_key listed = {.port = port, .protocol = flow->protocol};
    if (bpf_map_lookup_elem(&services, &listed)) continue;
    back.destination_port = port;
    if (bpf_map_update_elem(&inward, &back, &inside, BPF_NOEXIST)) continue;
    struct translation outside = {.address = side->address, .port = port, .seen = inside.seen};
    if (!bpf_map_update_elem(&outward, flow, &outside, BPF_ANY)) return port;
    bpf_map_delete_elem(&inward, &back);
    return 0;
  }
  return 0;
}

static __always_inline int go_out(struct packet* packet, const struct flow* flow, const struct sides* side) {
  struct translation* known = bpf_map_lookup_elem(&outward, flow);
  if (known) {
    known->seen = bpf_ktime_get_ns();
    translate(packet, 0, known->address, known->port);
    return forward(packet, side->own, side->to_outside, OUTWARD);
  }
  __u16 port = take_port(flow, side);
  if (!port) return end(NO_PORT, XDP_DROP);
  translate(packet, 0, side->address, port);
  return forward(packet, side->own, side->to_outside, NEW);
}

static __always_inline int come_in(struct packet* packet, const struct flow* flow, const struct sides* side) {
  struct translation* known = bpf_map_lookup_elem(&inward, flow);
  if (known) {
    known->seen = bpf_ktime_get_ns();
    translate(packet, 1, known->address, known->port);
    return forward(packet, side->own, side->to_inside, INWARD);
  }
  struct service_key key = {.port = flow->destination_port, .protocol = flow->protocol};
  struct host* service = bpf_map_lookup_elem(&services, &key);
  if (!service) return end(UNKNOWN, XDP_PASS);
  struct translation inside = {
      .address = service->address, .port = service->port, .seen = bpf_ktime_get_ns()};
  struct translation outside = {
      .address = side->address, .port = flow->destination_port, .seen = inside.seen};
  // What it answers comes from the port that it is known by.
  struct flow back = {.source = inside.address,
                      .destination = flow->source,
                      .source_port = inside.port,
                      .destination_port = flow->source_port,
                      .protocol = flow->protocol};
  if (bpf_map_update_elem(&outward, &back, &outside, BPF_ANY) ||
      bpf_map_update_elem(&inward, flow, &inside, BPF_ANY))
    return end(NO_PORT, XDP_DROP);
  translate(packet, 1, inside.address, inside.port);
  return forward(packet, side->own, side->to_inside, NEW);
}

SEC("xdp") int nat(struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* ethernet = (void*)(long)context->data;
  struct iphdr* ip = (void*)(ethernet + 1);
  if ((void*)ip > data_end) return end(MALFORMED, XDP_DROP);
  if (ethernet->h_proto != bpf_htons(ETH_P_IP)) return end(NOT_OURS, XDP_PASS);
  if ((void*)(ip + 1) > data_end || ip->version != 4 || ip->ihl < 5) return end(MALFORMED, XDP_DROP);
  if (bpf_ntohs(ip->tot_len) < ip->ihl * 4 || (void*)ip + bpf_ntohs(ip->tot_len) > data_end)
    return end(MALFORMED, XDP_DROP);
  if (ip->ihl != 5 || ip->frag_off & bpf_htons(0x3fff)) return end(NOT_OURS, XDP_PASS);

  struct packet packet = {ethernet, ip, (void*)(ip + 1), 0};
  if (ip->protocol == IPPROTO_TCP) {
    struct tcphdr* tcp = (void*)(ip + 1);
    if ((void*)(tcp + 1) > data_end) return end(MALFORMED, XDP_DROP);
    packet.checksum = &tcp->check;
  } else if (ip->protocol == IPPROTO_UDP) {
    struct udphdr* udp = (void*)(ip + 1);
    if ((void*)(udp + 1) > data_end) return end(MALFORMED, XDP_DROP);
    packet.checksum = &udp->check;
  } else {
    return end(NOT_OURS, XDP_PASS);
  }
  __u32 zero = 0;
  struct sides* side = bpf_map_lookup_elem(&sides, &zero);
  if (!side) return end(NOT_OURS, XDP_PASS);
  struct flow flow = {.source = ip->saddr,
                      .destination = ip->daddr,
                      .source_port = packet.ports[0],
                      .destination_port = packet.ports[1],
                      .protocol = ip->protocol};
  int from_inside = (ip->saddr & side->mask) == side->inside;
  int stays_inside = (ip->daddr & side->mask) == side->inside;
  if (from_inside == (ip->daddr == side->address) || (from_inside && stays_inside))
    return end(NOT_OURS, XDP_PASS);
  if (ip->ttl <= 1) return end(EXPIRED, XDP_PASS); // the host answers
  return from_inside ? go_out(&packet, &flow, side) : come_in(&packet, &flow, side);
}

char license_[] SEC("license") = "GPL";
