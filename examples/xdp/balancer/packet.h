/* What the load balancer reads of a packet, of either version of IP. */
#ifndef BALANCER_PACKET_H
#define BALANCER_PACKET_H

#include "tables.h"

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct packet {
  struct connection connection;
  __u32 length; /* of the IP packet */
  __u32 first;  /* word of the header (IPv6) */
  __u8 tos;     /* type of service, traffic class */
  __u8 hop_limit;
  __u8 begins;    /* a TCP connection */
  __u8 is_summed; /* a checksum covers all behind the IP header */
};

static __always_inline enum outcome read_transport(struct packet* packet, void* transport, __u32 length,
                                                   void* data_end) {
  if (packet->connection.protocol == IPPROTO_TCP) {
    struct tcphdr* tcp = transport;
    if ((void*)(tcp + 1) > data_end) return MALFORMED;
    packet->connection.source_port = tcp->source;
    packet->connection.destination_port = tcp->dest;
    packet->begins = tcp->syn && !tcp->ack;
    packet->is_summed = 1;
  } else {
    struct udphdr* udp = transport;
    if ((void*)(udp + 1) > data_end) return MALFORMED;
    packet->connection.source_port = udp->source;
    packet->connection.destination_port = udp->dest;
    packet->is_summed = udp->check && bpf_ntohs(udp->len) == length;
  }
  return SENT;
}

static __always_inline enum outcome read4(struct packet* packet, struct iphdr* ip, void* data_end) {
  if ((void*)(ip + 1) > data_end || ip->version != 4 || ip->ihl < 5) return MALFORMED;
  __u16 length = bpf_ntohs(ip->tot_len);
  if (length < ip->ihl * 4 || (void*)ip + length > data_end) return MALFORMED;
  if (ip->ihl != 5 || (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP)) return NOT_OURS;
  if (ip->frag_off & bpf_htons(0x3fff)) return FRAGMENT;
  packet->length = length;
  packet->tos = ip->tos;
  packet->connection.source[0] = ip->saddr;
  packet->connection.destination[0] = ip->daddr;
  packet->connection.protocol = ip->protocol;
  packet->connection.version = 4;
  return read_transport(packet, ip + 1, length - sizeof *ip, data_end);
}

static __always_inline enum outcome read6(struct packet* packet, struct ipv6hdr* ip, void* data_end) {
  if ((void*)(ip + 1) > data_end || ip->version != 6) return MALFORMED;
  __u16 length = bpf_ntohs(ip->payload_len);
  if ((void*)(ip + 1) + length > data_end) return MALFORMED;
  if (ip->nexthdr == IPPROTO_FRAGMENT) return FRAGMENT;
  if (ip->nexthdr != IPPROTO_TCP && ip->nexthdr != IPPROTO_UDP) return NOT_OURS;
  packet->length = length + sizeof *ip;
  packet->first = *(__u32*)ip;
  packet->tos = bpf_ntohl(packet->first) >> 20;
  packet->hop_limit = ip->hop_limit;
  __builtin_memcpy(packet->connection.source, &ip->saddr, 16);
  __builtin_memcpy(packet->connection.destination, &ip->daddr, 16);
  packet->connection.protocol = ip->nexthdr;
  packet->connection.version = 6;
  return read_transport(packet, ip + 1, length, data_end);
}

/* Why it is not to be sent, or SENT. */
static __always_inline enum outcome read_packet(struct packet* packet, struct xdp_md* context) {
  void* data_end = (void*)(long)context->data_end;
  struct ethhdr* ethernet = (void*)(long)context->data;
  if ((void*)(ethernet + 1) > data_end) return MALFORMED;
  if (ethernet->h_proto == bpf_htons(ETH_P_IP)) return read4(packet, (void*)(ethernet + 1), data_end);
  if (ethernet->h_proto == bpf_htons(ETH_P_IPV6)) return read6(packet, (void*)(ethernet + 1), data_end);
  return NOT_OURS;
}

/* MurmurHash3's finalizer (64 bits) over the connection's parts; of IPv6 addresses, over the first words and then each of the others. */
static __always_inline __u32 hash(const struct connection* connection, __u16 source_port) {
  __u64 h = (__u64)connection->source[0] << 32 | connection->destination[0];
  h ^= ((__u64)source_port << 24 | (__u64)connection->destination_port << 8 | connection->protocol) *
       0x9e3779b97f4a7c15ull;
  if (connection->version == 6)
    for (int i = 1; i != 4; ++i) {
      h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
      h ^= (__u64)connection->source[i] << 32 | connection->destination[i];
    }
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdull;
  h ^= h >> 33;
  h *= 0xc4ceb9fe1a85ec53ull;
  return h ^ h >> 33;
}

#endif
