// A load balancer of layer 4 with direct return, for IPv4 and IPv6: connections to a service's address go to one of its servers, inside IP
// packets or, where the service says so, inside UDP (outer.h). Servers are found by consistent hashing, and remembered per connection, so
// that connections survive changes of the servers. QUIC's connections are told by their ids, and survive changes of address, too (quic.h).
// What is not for a service goes to the host's network stack, and so do fragments and ICMP. The way to the servers must have room for the outer
// headers, 20 to 48 bytes: packets are not cut, and nobody is told that they are too large.
//
// Health. The control plane looks after the servers, and marks each: UP, DOWN, or DRAINING, which keeps its connections and is given no new ones. That
// is an entry of one table, and takes effect with the next packet; the ring stays as it is until the control plane makes it anew, if it does.
// Where the ring has a server that is not UP, other places of it are tried, in an order that follows from the connection's hash. So connections of the
// servers that are UP stay where they are, and the others' are spread over all of them. (To leave the server out of the ring at once
// would take thousands of entries, and move some of the others' connections.)
// A connection that is remembered for a server that is DOWN, or whose QUIC id names one, goes where a new one would go, and is remembered anew: the other
// server does not know it, and says so (a TCP reset, a stateless reset), so the client begins again instead of waiting. When the first
// server is UP again, the connection stays with the second, which may know it by then; without memory it goes back.
// After TRIES places without one the packet is dropped: with half of a service's servers UP, about one new connection in 65,536.
#include <linux/bpf.h>

#include "outer.h"
#include "packet.h"
#include "quic.h"
#include "tables.h"

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

// Numbers of servers, by their ids in QUIC's connection ids.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1 << 16);
  __type(key, __u32);
  __type(value, __u32);
} quic_servers SEC(".maps");

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

#define TRIES 16 // places of the ring

static __always_inline struct server* server_of(__u32 number, int is_known) {
  struct server* server = bpf_map_lookup_elem(&servers, &number);
  if (!server) return 0;
  __u32 health = server->health;
  return health == UP || (is_known && health == DRAINING) ? server : 0;
}

// The server that the connection's hash chooses, and its number.
static __always_inline struct server* choose(const struct connection* connection,
                                             const struct service* service, __u32* number) {
  __u32 first = service->number * RING;
  __u32 h = hash(connection, service->flags & ANY_PORT ? 0 : connection->source_port);
  __u32 place = h % RING, step = 1 + h / RING % (RING - 1); // RING is a prime: all places come
#pragma nounroll // one lookup for heddle specialize to look at, and not sixteen
  for (int i = 0; i != TRIES; ++i) {
    __u32 key = first + place;
    __u32* chosen = bpf_map_lookup_elem(&ring, &key);
    if (!chosen) return 0;
    *number = *chosen;
    struct server* server = server_of(*number, 0);
    if (server) return server;
    place = (place + step) % RING;
  }
  return 0;
}

// The server that a connection has, unless it begins, else the one that is chosen for it.
static __always_inline struct server* remembered(const struct connection* connection,
                                                 const struct service* service, int begins) {
  int remember = !(service->flags & NO_MEMORY);
  struct server* server;
  __u32 number;
  if (remember && !begins) {
    __u32* known = bpf_map_lookup_elem(&connections, connection);
    if (known) {
      number = *known;
      server = server_of(number, 1);
      if (server) return server;
    }
  }
  server = choose(connection, service, &number);
  if (server && remember) bpf_map_update_elem(&connections, connection, &number, BPF_ANY);
  return server;
}

// The server whose id a QUIC packet has.
static __always_inline struct server* named(const struct packet* packet, struct xdp_md* context) {
  __u32 id;
  if (packet->connection.protocol != IPPROTO_UDP || !read_quic_id(packet, context, &id)) return 0;
  __u32* known = bpf_map_lookup_elem(&quic_servers, &id);
  if (!known) return 0;
  __u32 number = *known;
  return server_of(number, 1);
}

static __always_inline int encapsulate(struct xdp_md* context, int gue, const struct server* server,
                                       const struct packet* packet) {
  __u32 zero = 0;
  struct uplink* found = bpf_map_lookup_elem(&uplinks, &zero);
  if (!found) return end(NO_SERVER, XDP_DROP);
  struct uplink uplink = *found;
  int is_put;
  __u32 flow = gue || server->version == 6 ? hash(&packet->connection, packet->connection.source_port) : 0;
  struct ethhdr ethernet;
  __builtin_memcpy(ethernet.h_dest, uplink.to, ETH_ALEN);
  __builtin_memcpy(ethernet.h_source, uplink.from, ETH_ALEN);
  struct udphdr udp = gue_header(flow, packet->length);
  if (server->version == 6) {
    ethernet.h_proto = bpf_htons(ETH_P_IPV6);
    struct ipv6hdr ip = outer6(uplink.address6, server->address, gue, packet, flow);
    if (gue) udp.check = gue_checksum6(uplink.address6, server->address, &udp, packet);
    is_put = put6(context, &ethernet, &ip, &udp, gue);
  } else {
    ethernet.h_proto = bpf_htons(ETH_P_IP);
    struct iphdr ip = outer4(uplink.address, server->address[0], gue, packet);
    is_put = put4(context, &ethernet, &ip, &udp, gue);
  }
  return is_put ? end(SENT, XDP_TX) : end(MALFORMED, XDP_DROP);
}

SEC("xdp") int balancer(struct xdp_md* context) {
  struct packet packet = {0};
  enum outcome outcome = read_packet(&packet, context);
  if (outcome != SENT) return end(outcome, outcome == MALFORMED ? XDP_DROP : XDP_PASS);
  const struct connection* connection = &packet.connection;

  struct service_key key = {
      .port = connection->destination_port, .protocol = connection->protocol, .version = connection->version};
  __builtin_memcpy(key.address, connection->destination, sizeof key.address);
  struct service* service = bpf_map_lookup_elem(&services, &key);
  if (!service) {
    key.port = 0; // all ports of the address
    service = bpf_map_lookup_elem(&services, &key);
  }
  if (!service) return end(NOT_OURS, XDP_PASS);
  __u32 flags = service->flags;
  struct server* server = flags & QUIC ? named(&packet, context) : 0;
  if (!server) server = remembered(connection, service, packet.begins);
  if (!server) return end(NO_SERVER, XDP_DROP);
  struct server to = *server; // the uplink is read right behind its lookup, which can be specialized then
  return encapsulate(context, flags & GUE, &to, &packet);
}

char license_[] SEC("license") = "GPL";
