// The outer IPv4 or IPv6 header and UDP of N3 (TS 29.281 section 4.4). Nothing here is user traffic: the
// transport network is ours, so options and fragments are refused rather than interpreted.

#include "checksum.h"
#include "phases.h"

static bool outer4_parse(const struct port_config* port, struct pkt_ctx* c, uint8_t* proto) {
  uint32_t off = c->l3_off;
  const uint8_t* ip = c->data + off;
  if (off + IP4_HLEN > c->len) return drop(c, DROP_OUTER_SHORT);
  if (ip[0] >> 4 != 4) return drop(c, DROP_OUTER_VERSION);
  uint32_t hlen = (ip[0] & 15u) * 4;
  uint32_t total = load16(ip + 2);
  if (hlen < IP4_HLEN || total < hlen || off + total > c->len) return drop(c, DROP_OUTER_LENGTH);
  if (checksum(ip, hlen) != 0) return drop(c, DROP_OUTER_CHECKSUM);
  if (hlen != IP4_HLEN) return drop(c, DROP_OUTER_OPTIONS);
  uint16_t fragment = load16(ip + 6);
  if (fragment & 0x3fff) return drop(c, DROP_OUTER_FRAGMENT);
  if (ip[8] == 0) return drop(c, DROP_OUTER_LENGTH);
  if (memcmp(ip + 16, port->ip4, 4) != 0) return drop(c, DROP_OUTER_ADDRESS);
  if (martian4(ip + 12, true) || memcmp(ip + 12, port->ip4, 4) == 0) return drop(c, DROP_OUTER_ADDRESS);
  c->outer.version = 4;
  c->outer.tos = ip[1];
  memcpy(c->outer.src, ip + 12, 4);
  memcpy(c->outer.dst, ip + 16, 4);
  c->outer.udp_off = (uint16_t)(off + hlen);
  *proto = ip[9];
  c->len = off + total; // cuts Ethernet padding
  return true;
}

static bool outer6_parse(const struct port_config* port, struct pkt_ctx* c, uint8_t* proto) {
  uint32_t off = c->l3_off;
  const uint8_t* ip = c->data + off;
  if (off + IP6_HLEN > c->len) return drop(c, DROP_OUTER_SHORT);
  if (ip[0] >> 4 != 6) return drop(c, DROP_OUTER_VERSION);
  uint32_t payload = load16(ip + 4);
  if (off + IP6_HLEN + payload > c->len) return drop(c, DROP_OUTER_LENGTH);
  if (ip[7] == 0) return drop(c, DROP_OUTER_LENGTH);
  c->outer.version = 6;
  c->outer.tos = (uint8_t)(load16(ip) >> 4);
  memcpy(c->outer.src, ip + 8, 16);
  memcpy(c->outer.dst, ip + 24, 16);
  c->outer.udp_off = (uint16_t)(off + IP6_HLEN);
  *proto = ip[6];
  c->len = off + IP6_HLEN + payload;
  // Neighbour discovery goes to the solicited-node group (RFC 4861), everything else to the address itself.
  if (*proto == PROTO_ICMP6) return true;
  if (memcmp(ip + 24, port->ip6, 16) != 0) return drop(c, DROP_OUTER_ADDRESS);
  if (martian6(ip + 8, true)) return drop(c, DROP_OUTER_ADDRESS);
  return true;
}

static bool outer_udp_parse(struct pkt_ctx* c) {
  uint32_t off = c->outer.udp_off;
  const uint8_t* udp = c->data + off;
  if (off + UDP_HLEN > c->len) return drop(c, DROP_OUTER_UDP);
  uint32_t len = load16(udp + 4);
  if (len < UDP_HLEN || off + len > c->len) return drop(c, DROP_OUTER_UDP);
  c->outer.sport = load16(udp);
  c->outer.udp_len = (uint16_t)len;
  if (load16(udp + 2) != GTPU_PORT) return drop(c, DROP_OUTER_PORT);
  uint16_t sum = load16(udp + 6);
  if (sum != 0) {
    uint32_t alen = c->outer.version == 4 ? 4 : 16;
    uint64_t total = checksum_add(0, c->outer.src, alen);
    total = checksum_add(total, c->outer.dst, alen);
    total += PROTO_UDP + len;
    if (checksum_finish(checksum_add(total, udp, len)) != 0) return drop(c, DROP_OUTER_UDP_CHECKSUM);
  }
  // RFC 6935 allows a zero checksum over IPv6 for tunnels, and TS 29.281 section 4.4.1 asks to accept it.
  c->len = off + len;
  c->gtpu.off = (uint16_t)(off + UDP_HLEN);
  return true;
}

// A neighbour solicitation for the port's address (RFC 4861 section 4.3) asks for an advertisement.
bool neighbour_parse(const struct port_config* port, struct pkt_ctx* c) {
  const uint8_t* ip = c->data + c->l3_off;
  const uint8_t* icmp = ip + IP6_HLEN;
  uint32_t len = c->len - c->l3_off - IP6_HLEN;
  if (len < 24) return drop(c, DROP_ND_BAD);
  uint64_t sum = checksum_add(PROTO_ICMP6 + (uint64_t)len, ip + 8, 32);
  if (checksum_finish(checksum_add(sum, icmp, len)) != 0) return drop(c, DROP_ND_BAD);
  if (icmp[0] != 135 || icmp[1] != 0 || ip[7] != 255) return drop(c, DROP_ND_BAD);
  for (uint32_t at = 24; at < len;) { // options: type, length in units of eight octets
    uint32_t option = at + 1 < len ? icmp[at + 1] * 8u : 0;
    if (option == 0 || at + option > len) return drop(c, DROP_ND_BAD);
    at += option;
  }
  if (memcmp(icmp + 8, port->ip6, 16) != 0) return drop(c, DROP_OUTER_ADDRESS);
  return refuse(c, DROP_NONE, REPLY_ND);
}

bool outer_parse(const struct port_config* port, struct pkt_ctx* c, uint16_t type) {
  uint8_t proto = 0;
  c->outer.ip_off = c->l3_off;
  if (type == ETH_P_IP4) {
    if (!outer4_parse(port, c, &proto)) return false;
  } else {
    if (!outer6_parse(port, c, &proto)) return false;
    if (proto == PROTO_ICMP6) return neighbour_parse(port, c);
  }
  if (proto != PROTO_UDP) return drop(c, DROP_OUTER_PROTO);
  return outer_udp_parse(c);
}
