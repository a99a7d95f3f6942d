// A chain of three programs by tail calls, as in Polycube: the first checks headers, the second is a firewall of blocked sources and open
// services, and the third a router. Each looks at the packet anew, and knows of the others only that they have let it come here.
#include "tables.h"

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

int firewall(struct xdp_md* context);
int router(struct xdp_md* context);

struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, STAGES);
  __uint(key_size, sizeof(__u32));
  __array(values, int(void*));
} stages SEC(".maps") = {.values = {[FIREWALL] = (void*)&firewall, [ROUTER] = (void*)&router}};

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(max_entries, 4096);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct prefix);
  __type(value, __u32);
} blocked SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __type(key, struct service_key);
  __type(value, struct service);
} services SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LPM_TRIE);
  __uint(max_entries, 1 << 18);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, struct prefix);
  __type(value, __u32); // a key of hops
} routes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1024);
  __type(key, __u32);
  __type(value, struct hop);
} hops SEC(".maps");

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

// Goes on in the next program. It comes back only where there is none.
static __always_inline int go_on(struct xdp_md* context, enum stage stage) {
  bpf_tail_call(context, &stages, stage);
  return end(NO_STAGE, XDP_DROP);
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

SEC("xdp") int parser(struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* ethernet = (void*)(long)context->data;
  struct iphdr* ip = (void*)(ethernet + 1);
  if ((void*)ip > data_end) return end(MALFORMED, XDP_DROP);
  if (ethernet->h_proto != bpf_htons(ETH_P_IP)) return end(NOT_IPV4, XDP_PASS);
  if ((void*)(ip + 1) > data_end || ip->version != 4 || ip->ihl < 5) return end(MALFORMED, XDP_DROP);
  if (bpf_ntohs(ip->tot_len) < ip->ihl * 4 || (void*)ip + bpf_ntohs(ip->tot_len) > data_end)
    return end(MALFORMED, XDP_DROP);
  if (ip->ihl != 5) return end(OPTIONS, XDP_PASS);
  if (header_sum(ip) != 0xffff) return end(MALFORMED, XDP_DROP);
  return go_on(context, FIREWALL);
}

// Whether the packet is for an open service; other protocols than TCP and UDP are, and fragments behind the first.
static __always_inline int is_open(const struct iphdr* ip, const void* data_end) {
  if (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP) return 1;
  if (ip->frag_off & bpf_htons(0x1fff)) return 1;
  const struct udphdr* ports = (const void*)(ip + 1); // TCP begins alike
  if ((const void*)ports + 4 > data_end) return 0;
  struct service_key key = {.port = ports->dest, .protocol = ip->protocol};
  struct service* service = bpf_map_lookup_elem(&services, &key);
  if (!service || !service->open) return 0;
  __sync_fetch_and_add(&service->packets, 1);
  __sync_fetch_and_add(&service->bytes, bpf_ntohs(ip->tot_len));
  return 1;
}

SEC("xdp") int firewall(struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct iphdr* ip = (void*)(long)context->data + sizeof(struct ethhdr);
  if ((void*)(ip + 1) > data_end) return end(MALFORMED, XDP_DROP);
  struct prefix source = {.bits = 32};
  __builtin_memcpy(source.address, &ip->saddr, 4);
  if (bpf_map_lookup_elem(&blocked, &source)) return end(BLOCKED, XDP_DROP);
  if (!is_open(ip, data_end)) return end(CLOSED, XDP_DROP);
  return go_on(context, ROUTER);
}

SEC("xdp") int router(struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* ethernet = (void*)(long)context->data;
  struct iphdr* ip = (void*)(ethernet + 1);
  if ((void*)(ip + 1) > data_end) return end(MALFORMED, XDP_DROP);
  if (ip->ttl <= 1) return end(EXPIRED, XDP_PASS); // the host answers
  struct prefix key = {.bits = 32};
  __builtin_memcpy(key.address, &ip->daddr, 4);
  __u32* number = bpf_map_lookup_elem(&routes, &key);
  if (!number) return end(UNREACHABLE, XDP_PASS);
  __u32 chosen = *number;
  struct hop* hop = bpf_map_lookup_elem(&hops, &chosen);
  if (!hop) return end(UNREACHABLE, XDP_PASS);
  __u32 sum = ip->check + bpf_htons(0x0100); // RFC 1624: the time to live is the upper byte of its word
  ip->check = sum + (sum >= 0xffff);
  --ip->ttl;
  __builtin_memcpy(ethernet->h_dest, hop->to, ETH_ALEN);
  __builtin_memcpy(ethernet->h_source, hop->from, ETH_ALEN);
  return end(FORWARDED, XDP_TX);
}

char license_[] SEC("license") = "GPL";
