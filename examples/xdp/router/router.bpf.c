// An IPv4 and IPv6 router: the checks of RFC 1812 (section 5.2.2 and 5.3.7) and RFC 4291, longest prefix match, next hops.
// What a router does seldom (options, expired packets, its own traffic) goes to the host's network stack.
#include "tables.h"

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(max_entries, 1 << 20);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct prefix4);
  __type(value, __u32); // a key of hops
} routes4 SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(max_entries, 1 << 18);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct prefix6);
  __type(value, __u32);
} routes6 SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1024);
  __type(key, __u32);
  __type(value, struct hop);
} hops SEC(".maps");

// The router's own IPv4 addresses.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 256);
  __type(key, __u32);
  __type(value, __u8);
} own4 SEC(".maps");

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

static __always_inline int send(struct ethhdr* ethernet, const struct hop* hop) {
  __builtin_memcpy(ethernet->h_dest, hop->to, ETH_ALEN);
  __builtin_memcpy(ethernet->h_source, hop->from, ETH_ALEN);
  return end(FORWARDED, hop->interface ? bpf_redirect(hop->interface, 0) : XDP_TX);
}

// The sum of the header's ten words, folded; 0xffff for a good one.
static __always_inline __u16 header_sum(const struct iphdr* ip) {
  const __u16* word = (const void*)ip;
  __u32 sum = 0;
  for (int i = 0; i != 10; ++i)
    sum += word[i];
  sum = (sum & 0xffff) + (sum >> 16);
  return sum + (sum >> 16);
}

// Addresses that no packet from the wire may come from (RFC 1812, 5.3.7).
static __always_inline int is_martian_source(__u32 address) {
  __u32 host = bpf_ntohl(address);
  __u8 first = host >> 24;
  return first == 0 || first == 127 || first >= 224;
}

static __always_inline int route4(struct ethhdr* ethernet, void* data_end) {
  struct iphdr* ip = (void*)(ethernet + 1);
  if ((void*)(ip + 1) > data_end) return end(MALFORMED, XDP_DROP);
  if (ip->version != 4 || ip->ihl < 5) return end(MALFORMED, XDP_DROP);
  if (bpf_ntohs(ip->tot_len) < ip->ihl * 4 || (void*)ip + bpf_ntohs(ip->tot_len) > data_end)
    return end(MALFORMED, XDP_DROP);
  if (ip->ihl != 5) return end(TO_HOST, XDP_PASS);
  if (header_sum(ip) != 0xffff) return end(MALFORMED, XDP_DROP);
  if (is_martian_source(ip->saddr)) return end(MARTIAN, XDP_DROP);
  __u8 first = bpf_ntohl(ip->daddr) >> 24;
  if (first == 0 || first == 127) return end(MARTIAN, XDP_DROP);
  if (first >= 224) return end(TO_HOST, XDP_PASS);

  __u32 destination = ip->daddr;
  if (bpf_map_lookup_elem(&own4, &destination)) return end(TO_HOST, XDP_PASS);
  if (ip->ttl <= 1) return end(EXPIRED, XDP_PASS); // the host answers
  struct prefix4 key = {.bits = 32};
  __builtin_memcpy(key.address, &destination, 4);
  __u32* number = bpf_map_lookup_elem(&routes4, &key);
  if (!number) return end(UNREACHABLE, XDP_PASS);
  __u32 chosen = *number;
  struct hop* hop = bpf_map_lookup_elem(&hops, &chosen);
  if (!hop) return end(UNREACHABLE, XDP_PASS);

  // RFC 1624: the time to live is the upper byte of its word.
  __u32 sum = ip->check + bpf_htons(0x0100);
  ip->check = sum + (sum >= 0xffff);
  --ip->ttl;
  return send(ethernet, hop);
}

static __always_inline int route6(struct ethhdr* ethernet, void* data_end) {
  struct ipv6hdr* ip = (void*)(ethernet + 1);
  if ((void*)(ip + 1) > data_end || ip->version != 6) return end(MALFORMED, XDP_DROP);
  if ((void*)(ip + 1) + bpf_ntohs(ip->payload_len) > data_end) return end(MALFORMED, XDP_DROP);
  const __u32* from = ip->saddr.in6_u.u6_addr32;
  const __u32* to = ip->daddr.in6_u.u6_addr32;
  if (ip->saddr.in6_u.u6_addr8[0] == 0xff) return end(MARTIAN, XDP_DROP);
  if ((from[0] | from[1] | from[2]) == 0 && bpf_ntohl(from[3]) <= 1)
    return end(MARTIAN, XDP_DROP); // :: and ::1
  if ((to[0] | to[1] | to[2]) == 0 && bpf_ntohl(to[3]) <= 1) return end(MARTIAN, XDP_DROP);
  if ((bpf_ntohl(from[0]) & 0xffc00000) == 0xfe800000 || (bpf_ntohl(to[0]) & 0xffc00000) == 0xfe800000 ||
      ip->daddr.in6_u.u6_addr8[0] == 0xff)
    return end(TO_HOST, XDP_PASS); // of this link, or to many
  if (ip->hop_limit <= 1) return end(EXPIRED, XDP_PASS);

  struct prefix6 key = {.bits = 128};
  __builtin_memcpy(key.address, to, 16);
  __u32* number = bpf_map_lookup_elem(&routes6, &key);
  if (!number) return end(UNREACHABLE, XDP_PASS);
  __u32 chosen = *number;
  struct hop* hop = bpf_map_lookup_elem(&hops, &chosen);
  if (!hop) return end(UNREACHABLE, XDP_PASS);
  --ip->hop_limit;
  return send(ethernet, hop);
}

SEC("xdp") int router(struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* ethernet = (void*)(long)context->data;
  if ((void*)(ethernet + 1) > data_end) return end(MALFORMED, XDP_DROP);
  if (ethernet->h_proto == bpf_htons(ETH_P_IP)) return route4(ethernet, data_end);
  if (ethernet->h_proto == bpf_htons(ETH_P_IPV6)) return route6(ethernet, data_end);
  return end(OTHER_PROTOCOL, XDP_PASS);
}

char license_[] SEC("license") = "GPL";
