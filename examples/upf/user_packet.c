// What the network layers of the user's packet have in common.

#include "checksum.h"
#include "phases.h"

bool martian4(const uint8_t a[4], bool source) {
  if (a[0] == 0 || a[0] == 127) return true;     // "this" network, loopback (RFC 6890)
  if (a[0] >= 240) return source || a[0] != 255; // reserved; the broadcast address as source
  if (source && a[0] >= 224) return true;        // multicast
  return false;
}

bool martian6(const uint8_t a[16], bool source) {
  static const uint8_t zero[15] = {0};
  static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
  if (memcmp(a, zero, 15) == 0 && a[15] <= 1) return !(source && a[15] == 0); // unspecified, loopback
  if (memcmp(a, mapped, 12) == 0) return true;                                // never on the wire
  if (source && a[0] == 0xff) return true;
  if (!source && a[0] == 0xff && ((a[1] & 0x0f) == 0 || (a[1] & 0x0f) == 1)) return true; // interface-local
  return false;
}

uint64_t pseudo_sum(const struct ip_view* ip, uint8_t proto, uint32_t l4_len) {
  uint32_t alen = ip->version == 4 ? 4 : 16;
  uint64_t sum = checksum_add(0, ip->src, alen);
  sum = checksum_add(sum, ip->dst, alen);
  return sum + proto + (l4_len >> 16) + (l4_len & 0xffff);
}

bool l4_checksum_ok(const struct pkt_ctx* c, uint8_t proto) {
  const struct ip_view* ip = &c->ip;
  if (ip->fragment) return true;
  uint64_t sum = pseudo_sum(ip, proto, ip->l4_len);
  return checksum_finish(checksum_add(sum, c->data + ip->l4_off, ip->l4_len)) == 0;
}

bool transport_parse(struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  ip->payload_off = ip->l4_off;
  ip->payload_len = ip->l4_len;
  if (ip->fragment && !ip->first_fragment) return true; // fragment_track may find its ports
  switch (ip->proto) {
  case PROTO_TCP:
    return tcp_parse(c);
  case PROTO_UDP:
  case PROTO_UDPLITE:
    return udp_parse(c);
  case PROTO_SCTP:
    return sctp_parse(c);
  case PROTO_ICMP:
    if (ip->version != 4) return drop(c, DROP_ICMP_TYPE);
    return icmp4_parse(c);
  case PROTO_ICMP6:
    if (ip->version != 6) return drop(c, DROP_ICMP_TYPE);
    return icmp6_parse(c);
  case PROTO_ESP:
    if (ip->l4_len < 8) return drop(c, DROP_IP_LENGTH);
    ip->spi = load32(c->data + ip->l4_off);
    ip->has_spi = true;
    c->notices |= NOTE_ESP;
    return true;
  case PROTO_AH: // IPv4 only; ip6.c walks over it
    if (ip->l4_len < 12 || (c->data[ip->l4_off + 1] + 2u) * 4 > ip->l4_len) return drop(c, DROP_IP_LENGTH);
    ip->spi = load32(c->data + ip->l4_off + 4);
    ip->has_spi = true;
    c->notices |= NOTE_AH;
    return true;
  case PROTO_GRE:
  case PROTO_IPIP:
  case PROTO_IP6:
    c->notices |= NOTE_TUNNEL;
    return true;
  default:
    return true;
  }
}

bool user_packet_parse(struct pkt_ctx* c) {
  if (c->l3_off >= c->len) return drop(c, DROP_IP_SHORT);
  c->ip.off = c->l3_off;
  switch (c->data[c->l3_off] >> 4) {
  case 4:
    return ip4_parse(c);
  case 6:
    return ip6_parse(c);
  default:
    return drop(c, DROP_IP_VERSION);
  }
}
