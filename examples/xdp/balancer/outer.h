/* The headers that packets get on their way to a server: of the server's version of IP, whatever the packet's own is.

   Inside IP (RFC 2003, 2473, 4213) a flow has nothing but addresses to tell it from others, and switches and network cards on the way send all that
   goes to a server along one path, to one queue; over IPv6 the flow label, made from the flow's hash, may help (RFC 6438). Inside UDP (generic UDP
   encapsulation, GUE, draft-ietf-intarea-gue) the source port is made from the hash, so a flow's packets stay together and different flows part. It is
   variant 1 of GUE, which has no header of its own: the packet follows the UDP header, and its first bits (01, of version 4 or 6) say what it is. A
   server with Linux takes all: `ip link add ... type ipip`, `type ip6tnl`, `type sit`; `ip fou add port 6080 gue`.

   The outer UDP checksum. Over IPv4 it is zero, that is, none (RFC 768, as the draft allows): the outer IP header and the packet inside have their
   own. IPv6 has no checksum of the header, and receivers drop datagrams without one unless they were told not to (RFC 8200, 8.1), so there it is given. It
   covers the whole packet inside, but need not be summed over it: behind the inner IP header there is a checksum that makes the sum of TCP's or UDP's
   bytes the negative of the pseudo-header's. (Linux calls that local checksum offload.) A packet whose own checksum is wrong is dropped by the
   server a little earlier. Where UDP inside has no checksum, or does not fill the packet, the outer one is zero, which RFC 6935 allows to tunnels and
   Linux's GUE takes. Packets from programs on the same machine, whose checksums the network card was to complete, must not come here. */
#ifndef BALANCER_OUTER_H
#define BALANCER_OUTER_H

#include "packet.h"

#define GUE_PORT 6080

static __always_inline __u16 checksum(const struct iphdr* ip) {
  const __u16* word = (const void*)ip;
  __u32 sum = 0;
  for (int i = 0; i != 10; ++i)
    sum += word[i];
  sum = (sum & 0xffff) + (sum >> 16);
  return ~(sum + (sum >> 16));
}

static __always_inline __u16 fold(__u64 sum) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  return sum + (sum >> 16);
}

/* The sum of all of a packet's words that has a checksum. Of IPv4 the header's words are zero together. Of IPv6 addresses and length are in the header
   and, negative, in the pseudo-header's sum; what is left are the first word and that of protocol and hop limit, without the protocol. */
static __always_inline __u64 sum_inside(const struct packet* packet) {
  const struct connection* connection = &packet->connection;
  if (connection->version == 6)
    return (__u64)packet->first + bpf_htons(connection->protocol << 8 | packet->hop_limit) +
           (__u16)~bpf_htons(connection->protocol);
  __u64 pseudo = (__u64)connection->source[0] + connection->destination[0] + bpf_htons(connection->protocol) +
                 bpf_htons(packet->length - sizeof(struct iphdr));
  return (__u16)~fold(pseudo);
}

static __always_inline struct iphdr outer4(__u32 from, __u32 to, int gue, const struct packet* packet) {
  __u8 inside = packet->connection.version == 6 ? IPPROTO_IPV6 : IPPROTO_IPIP;
  struct iphdr ip = {.version = 4,
                     .ihl = 5,
                     .tos = packet->tos,
                     .tot_len = bpf_htons(packet->length + sizeof ip + (gue ? sizeof(struct udphdr) : 0)),
                     .ttl = 64,
                     .protocol = gue ? IPPROTO_UDP : inside,
                     .saddr = from,
                     .daddr = to};
  ip.check = checksum(&ip);
  return ip;
}

static __always_inline struct ipv6hdr outer6(const __u32* from, const __u32* to, int gue,
                                             const struct packet* packet, __u32 hash) {
  __u8 inside = packet->connection.version == 6 ? IPPROTO_IPV6 : IPPROTO_IPIP;
  struct ipv6hdr ip = {.payload_len = bpf_htons(packet->length + (gue ? sizeof(struct udphdr) : 0)),
                       .nexthdr = gue ? IPPROTO_UDP : inside,
                       .hop_limit = 64};
  *(__u32*)&ip = bpf_htonl(6u << 28 | (__u32)packet->tos << 20 | (hash & 0xfffff));
  __builtin_memcpy(&ip.saddr, from, 16);
  __builtin_memcpy(&ip.daddr, to, 16);
  return ip;
}

/* Source ports are the 16,384 dynamic ones (RFC 6335), by the upper bits of the hash: the lower ones choose the server. */
static __always_inline struct udphdr gue_header(__u32 hash, __u32 length) {
  return (struct udphdr){.source = bpf_htons(0xc000 | hash >> 18),
                         .dest = bpf_htons(GUE_PORT),
                         .len = bpf_htons(length + sizeof(struct udphdr))};
}

static __always_inline __u16 gue_checksum6(const __u32* from, const __u32* to, const struct udphdr* udp,
                                           const struct packet* packet) {
  if (!packet->is_summed) return 0;
  __u64 sum = (__u64)udp->source + udp->dest + udp->len + udp->len + bpf_htons(IPPROTO_UDP);
  for (int i = 0; i != 4; ++i)
    sum += (__u64)from[i] + to[i];
  __u16 check = ~fold(sum + sum_inside(packet));
  return check ? check : 0xffff;
}

/* Each of these puts the headers in front; 0: there is no room. */
static __always_inline int put4(struct xdp_md* context, const struct ethhdr* ethernet, const struct iphdr* ip,
                                const struct udphdr* udp, int gue) {
  if (bpf_xdp_adjust_head(context, -(int)(sizeof *ip + (gue ? sizeof *udp : 0)))) return 0;
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* head = (void*)(long)context->data;
  struct iphdr* outer = (void*)(head + 1);
  struct udphdr* outer_udp = (void*)(outer + 1);
  if ((void*)(outer + 1) > data_end) return 0;
  *head = *ethernet;
  *outer = *ip;
  if (!gue) return 1;
  if ((void*)(outer_udp + 1) > data_end) return 0;
  *outer_udp = *udp;
  return 1;
}

static __always_inline int put6(struct xdp_md* context, const struct ethhdr* ethernet,
                                const struct ipv6hdr* ip, const struct udphdr* udp, int gue) {
  if (bpf_xdp_adjust_head(context, -(int)(sizeof *ip + (gue ? sizeof *udp : 0)))) return 0;
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* head = (void*)(long)context->data;
  struct ipv6hdr* outer = (void*)(head + 1);
  struct udphdr* outer_udp = (void*)(outer + 1);
  if ((void*)(outer + 1) > data_end) return 0;
  *head = *ethernet;
  *outer = *ip;
  if (!gue) return 1;
  if ((void*)(outer_udp + 1) > data_end) return 0;
  *outer_udp = *udp;
  return 1;
}

#endif
