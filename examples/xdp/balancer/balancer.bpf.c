// A load balancer of layer 4 with direct return: connections to a service's address go to one of its servers, inside IP packets (RFC
// 2003) or, where the service says so, inside UDP (outer.h). Servers are found by consistent hashing, and remembered per connection, so that connections survive changes of the servers.
// What is not for a service goes to the host's network stack, and so do fragments.
#include "outer.h"
#include "tables.h"

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, MOST_SERVICES);
  __type(key, struct service_key);
  __type(value, struct service);
} services SEC(".maps");

// Numbers of servers: RING places of each service (Maglev's tables).
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, MOST_SERVICES* RING);
  __type(key, __u32);
  __type(value, __u32);
} ring SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 4096);
  __type(key, __u32);
  __type(value, struct server);
} servers SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 1 << 18);
  __type(key, struct connection);
  __type(value, __u32);
} connections SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct uplink);
} uplinks SEC(".maps");

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
static __always_inline __u32 hash(const struct connection* connection, __u16 source_port) {
  __u64 h = (__u64)connection->source << 32 | connection->destination;
  h ^= ((__u64)source_port << 24 | (__u64)connection->destination_port << 8 | connection->protocol) *
       0x9e3779b97f4a7c15ull;
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ull;
  return h ^ h >> 33;
}

static __always_inline struct server* server_of(__u32 number) {
  struct server* server = bpf_map_lookup_elem(&servers, &number);
  return server && server->up ? server : 0;
}

// The server of a connection: the one that it has, unless it begins or that one is down, else the one that is chosen by its hash.
static __always_inline struct server* choose(const struct connection* connection,
                                             const struct service* service, int begins) {
  __u32 flags = service->flags, place = service->number;
  struct server* server;
  if (!begins && !(flags & NO_MEMORY)) {
    __u32* known = bpf_map_lookup_elem(&connections, connection);
    if (known) {
      __u32 number = *known;
      server = server_of(number);
      if (server) return server;
    }
  }
  place = place * RING + hash(connection, flags & ANY_PORT ? 0 : connection->source_port) % RING;
  __u32* chosen = bpf_map_lookup_elem(&ring, &place);
  if (!chosen) return 0;
  __u32 number = *chosen;
  server = server_of(number);
  if (server && !(flags & NO_MEMORY)) bpf_map_update_elem(&connections, connection, &number, BPF_ANY);
  return server;
}

static __always_inline int encapsulate(struct xdp_md* context, const struct service* service, __u32 server,
                                       const struct connection* connection, __u16 length, __u8 tos) {
  __u32 zero = 0;
  struct uplink* uplink = bpf_map_lookup_elem(&uplinks, &zero);
  if (!uplink) return end(NO_SERVER, XDP_DROP);
  int gue = service->flags & GUE;
  struct ethhdr ethernet = {.h_proto = bpf_htons(ETH_P_IP)};
  __builtin_memcpy(ethernet.h_dest, uplink->to, ETH_ALEN);
  __builtin_memcpy(ethernet.h_source, uplink->from, ETH_ALEN);
  struct iphdr outer_ip = outer4(uplink->address, server, gue, length, tos);
  struct udphdr outer_udp = gue_header(hash(connection, connection->source_port), length);
  if (bpf_xdp_adjust_head(context, -(int)(sizeof outer_ip + (gue ? sizeof outer_udp : 0))))
    return end(MALFORMED, XDP_DROP);
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* head = (void*)(long)context->data;
  struct iphdr* ip = (void*)(head + 1);
  if ((void*)(ip + 1) > data_end) return end(MALFORMED, XDP_DROP);
  *head = ethernet;
  *ip = outer_ip;
  if (gue) {
    struct udphdr* udp = (void*)(ip + 1);
    if ((void*)(udp + 1) > data_end) return end(MALFORMED, XDP_DROP);
    *udp = outer_udp;
  }
  return end(SENT, XDP_TX);
}

SEC("xdp") int balancer(struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* ethernet = (void*)(long)context->data;
  struct iphdr* ip = (void*)(ethernet + 1);
  if ((void*)ip > data_end) return end(MALFORMED, XDP_DROP);
  if (ethernet->h_proto != bpf_htons(ETH_P_IP)) return end(NOT_OURS, XDP_PASS);
  if ((void*)(ip + 1) > data_end || ip->version != 4 || ip->ihl < 5) return end(MALFORMED, XDP_DROP);
  __u16 length = bpf_ntohs(ip->tot_len);
  if (length < ip->ihl * 4 || (void*)ip + length > data_end) return end(MALFORMED, XDP_DROP);
  if (ip->ihl != 5 || (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP))
    return end(NOT_OURS, XDP_PASS);
  if (ip->frag_off & bpf_htons(0x3fff)) return end(FRAGMENT, XDP_PASS);

  struct connection connection = {.source = ip->saddr, .destination = ip->daddr, .protocol = ip->protocol};
  int begins = 0;
  if (ip->protocol == IPPROTO_TCP) {
    struct tcphdr* tcp = (void*)(ip + 1);
    if ((void*)(tcp + 1) > data_end) return end(MALFORMED, XDP_DROP);
    connection.source_port = tcp->source;
    connection.destination_port = tcp->dest;
    begins = tcp->syn && !tcp->ack;
  } else {
    struct udphdr* udp = (void*)(ip + 1);
    if ((void*)(udp + 1) > data_end) return end(MALFORMED, XDP_DROP);
    connection.source_port = udp->source;
    connection.destination_port = udp->dest;
  }
  __u8 tos = ip->tos;

  struct service_key key = {connection.destination, connection.destination_port, connection.protocol, 0};
  struct service* service = bpf_map_lookup_elem(&services, &key);
  if (!service) {
    key.port = 0; // all ports of the address
    service = bpf_map_lookup_elem(&services, &key);
  }
  if (!service) return end(NOT_OURS, XDP_PASS);
  struct server* server = choose(&connection, service, begins);
  if (!server) return end(NO_SERVER, XDP_DROP);
  return encapsulate(context, service, server->address, &connection, length, tos);
}

char license_[] SEC("license") = "GPL";
