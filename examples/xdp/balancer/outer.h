/* The headers that packets get on their way to a server.

   Inside IP (RFC 2003) a flow has nothing but addresses to tell it from others, and switches and network cards on the way send all that goes to a
   server along one path, to one queue. Inside UDP (generic UDP encapsulation, GUE, draft-ietf-intarea-gue) the source port is made from the flow's
   hash, so its packets stay together and different flows part. It is variant 1 of GUE, which has no header of its own: the packet follows the UDP
   header, and its first bits (01, of version 4 or 6) say what it is. A server with Linux takes both: `ip link add ... type ipip`; `ip fou add port 6080
   gue`.

   Over IPv4 the outer UDP checksum is zero, that is, none (RFC 768, as the draft allows): the packet inside has its own. */
#ifndef BALANCER_OUTER_H
#define BALANCER_OUTER_H

#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define GUE_PORT 6080

static __always_inline __u16 checksum(const struct iphdr* ip) {
  const __u16* word = (const void*)ip;
  __u32 sum = 0;
  for (int i = 0; i != 10; ++i)
    sum += word[i];
  sum = (sum & 0xffff) + (sum >> 16);
  return ~(sum + (sum >> 16));
}

static __always_inline struct iphdr outer4(__u32 from, __u32 to, int gue, __u16 length, __u8 tos) {
  struct iphdr ip = {.version = 4,
                     .ihl = 5,
                     .tos = tos,
                     .tot_len = bpf_htons(length + sizeof ip + (gue ? sizeof(struct udphdr) : 0)),
                     .ttl = 64,
                     .protocol = gue ? IPPROTO_UDP : IPPROTO_IPIP,
                     .saddr = from,
                     .daddr = to};
  ip.check = checksum(&ip);
  return ip;
}

/* Source ports are the 16,384 dynamic ones (RFC 6335), by the upper bits of the hash: the lower ones choose the server. */
static __always_inline struct udphdr gue_header(__u32 hash, __u16 length) {
  return (struct udphdr){.source = bpf_htons(0xc000 | hash >> 18),
                         .dest = bpf_htons(GUE_PORT),
                         .len = bpf_htons(length + sizeof(struct udphdr))};
}

#endif
