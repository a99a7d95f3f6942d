/* Which server a QUIC packet is for, by its connection id.

   A QUIC connection outlives its addresses: a client that goes from one network to another comes with another address and port, and its hash would
   choose another server. So servers of such services put an id of theirs into the connection ids that they give out, in the way of
   draft-ietf-quic-load-balancers, in plain: the first byte's upper three bits are the configuration's number, and the two bytes behind it are the
   server's id. With another number the control plane can give ids anew while connections with old ones live. Seven means that there is no id in it.

   The server's connection id stands in packets with short headers, and in Handshake packets; both follow the server's first answer. In Initial and 0-RTT
   packets the id may be the client's own choice, so they go by hash, and so does what is of a version that is not known here: its types may mean
   something else. Other ids are not looked for: a client that makes one up at most reaches a server that does not know it. */
#ifndef BALANCER_QUIC_H
#define BALANCER_QUIC_H

#include "packet.h"

#define QUIC_1 1u          /* RFC 9000 */
#define QUIC_2 0x6b3343cfu /* RFC 9369: the same types, by other numbers */

/* Whether there is a server's id, and which: a key of quic_servers. */
static __always_inline int read_quic_id(const struct packet* packet, struct xdp_md* context, __u32* id) {
  void* data_end = (void*)(long)context->data_end;
  void* ip = (void*)(long)context->data + sizeof(struct ethhdr);
  struct udphdr* udp = ip + (packet->connection.version == 6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr));
  const __u8* quic = (void*)(udp + 1);
  const __u8* connection_id = quic + 1;
  if ((void*)(connection_id + 3) > data_end) return 0;
  __u32 length = bpf_ntohs(udp->len);
  if (length < sizeof *udp + 4) return 0;
  if (*quic & 0x80) { // a long header: version, length of the id
    connection_id = quic + 6;
    if (length < sizeof *udp + 9 || (void*)(connection_id + 3) > data_end || quic[5] < 3) return 0;
    __u32 version = (__u32)quic[1] << 24 | (__u32)quic[2] << 16 | (__u32)quic[3] << 8 | quic[4];
    if (version != QUIC_1 && version != QUIC_2) return 0;
    if ((*quic >> 4 & 3) != (version == QUIC_1 ? 2 : 3)) return 0; // no Handshake packet
  }
  if (*connection_id >> 5 == 7) return 0;
  *id = quic_key(*connection_id >> 5, connection_id[1] << 8 | connection_id[2]);
  return 1;
}

#endif
