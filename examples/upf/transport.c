// UDP (RFC 768), UDP-Lite (RFC 3828), SCTP (RFC 9260) and ICMP (RFC 792, RFC 4443).

#include "checksum.h"
#include "phases.h"

static bool udplite_parse(struct pkt_ctx* c, const uint8_t* p) {
  struct ip_view* ip = &c->ip;
  uint32_t coverage = load16(p + 4);
  if (coverage == 0) coverage = ip->l4_len;
  if (coverage < UDP_HLEN || coverage > ip->l4_len) return drop(c, DROP_UDP_LENGTH);
  if (load16(p + 6) == 0) return drop(c, DROP_L4_CHECKSUM);
  if (!ip->fragment) {
    uint64_t sum = pseudo_sum(ip, PROTO_UDPLITE, ip->l4_len);
    if (checksum_finish(checksum_add(sum, p, coverage)) != 0) return drop(c, DROP_L4_CHECKSUM);
  }
  return true;
}

static bool udp_checksum_ok(struct pkt_ctx* c, const uint8_t* p) {
  if (load16(p + 6) == 0) {
    c->notices |= NOTE_UDP_NO_CHECKSUM;
    // RFC 8200 section 8.1 forbids this over IPv6, except to tunnels (RFC 6935): VXLAN, GTP-U and their like.
    if (c->ip.version == 4) return true;
    uint16_t port = c->ip.dport;
    return port == GTPU_PORT || port == 4789 || port == 6081 || port == 4500;
  }
  return l4_checksum_ok(c, PROTO_UDP);
}

bool udp_parse(struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  const uint8_t* p = c->data + ip->l4_off;
  if (ip->l4_len < UDP_HLEN) return drop(c, DROP_UDP_SHORT);
  ip->sport = load16(p);
  ip->dport = load16(p + 2);
  ip->has_ports = true;
  ip->payload_off = (uint16_t)(ip->l4_off + UDP_HLEN);
  if (ip->proto == PROTO_UDPLITE) {
    if (!udplite_parse(c, p)) return false;
    ip->payload_len = (uint16_t)(ip->l4_len - UDP_HLEN);
    return true;
  }
  uint32_t len = load16(p + 4);
  if (len < UDP_HLEN) return drop(c, DROP_UDP_LENGTH);
  if (!ip->fragment && len > ip->l4_len) return drop(c, DROP_UDP_LENGTH);
  if (ip->dport == 0) return drop(c, DROP_UDP_LENGTH);
  if (!ip->fragment) ip->l4_len = (uint16_t)len; // the checksum ends here, not at the IP packet's end
  if (!udp_checksum_ok(c, p)) return drop(c, DROP_L4_CHECKSUM);
  ip->payload_len = (uint16_t)(ip->l4_len - UDP_HLEN);
  return true;
}

enum {
  SCTP_DATA = 0,
  SCTP_INIT = 1,
  SCTP_INIT_ACK = 2,
  SCTP_SACK = 3,
  SCTP_HEARTBEAT = 4,
  SCTP_HEARTBEAT_ACK = 5,
  SCTP_ABORT = 6,
  SCTP_SHUTDOWN = 7,
  SCTP_SHUTDOWN_ACK = 8,
  SCTP_ERROR = 9,
  SCTP_COOKIE_ECHO = 10,
  SCTP_COOKIE_ACK = 11,
  SCTP_SHUTDOWN_COMPLETE = 14,
  SCTP_I_DATA = 64,
};

// Parameters of INIT, INIT ACK, HEARTBEAT; causes of ABORT and ERROR have the same shape.
static bool sctp_parameters(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  for (uint32_t at = 0; at < len;) {
    if (at + 4 > len) return drop(c, DROP_SCTP_CHUNK);
    uint32_t size = load16(p + at + 2);
    if (size < 4 || at + size > len) return drop(c, DROP_SCTP_CHUNK);
    at += (size + 3) & ~3u;
  }
  return true;
}

// `len` is the chunk's length without padding.
static bool sctp_chunk(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  switch (p[0]) {
  case SCTP_DATA:
    if (len < 17) return drop(c, DROP_SCTP_CHUNK); // at least one octet of user data
    c->notices |= NOTE_SCTP_DATA;
    if (c->ip.payload_off == c->ip.l4_off) {
      c->ip.payload_off = (uint16_t)(p + 16 - c->data);
      c->ip.payload_len = (uint16_t)(len - 16);
    }
    return true;
  case SCTP_I_DATA:
    if (len < 21) return drop(c, DROP_SCTP_CHUNK);
    c->notices |= NOTE_SCTP_DATA;
    return true;
  case SCTP_INIT:
  case SCTP_INIT_ACK:
    if (len < 20 || load32(p + 4) == 0 || load16(p + 12) == 0 || load16(p + 14) == 0)
      return drop(c, DROP_SCTP_CHUNK);
    return sctp_parameters(c, p + 20, len - 20);
  case SCTP_SACK: {
    if (len < 16) return drop(c, DROP_SCTP_CHUNK);
    uint32_t gaps = load16(p + 12), duplicates = load16(p + 14);
    if (len != 16 + (gaps + duplicates) * 4) return drop(c, DROP_SCTP_CHUNK);
    for (uint32_t i = 0; i < gaps; i++)
      if (load16(p + 16 + i * 4) > load16(p + 18 + i * 4)) return drop(c, DROP_SCTP_CHUNK);
    return true;
  }
  case SCTP_HEARTBEAT:
  case SCTP_HEARTBEAT_ACK:
  case SCTP_ABORT:
  case SCTP_ERROR:
    return sctp_parameters(c, p + 4, len - 4);
  case SCTP_SHUTDOWN:
    return len == 8 ? true : drop(c, DROP_SCTP_CHUNK);
  case SCTP_SHUTDOWN_ACK:
  case SCTP_COOKIE_ACK:
  case SCTP_SHUTDOWN_COMPLETE:
    return len == 4 ? true : drop(c, DROP_SCTP_CHUNK);
  default:
    return true;
  }
}

static bool sctp_chunks(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  struct ip_view* ip = &c->ip;
  for (uint32_t at = SCTP_HLEN; at < len;) {
    if (at + 4 > len) return drop(c, DROP_SCTP_CHUNK);
    uint32_t size = load16(p + at + 2);
    if (size < 4 || at + size > len) return drop(c, DROP_SCTP_CHUNK);
    uint8_t type = p[at];
    // RFC 9260 section 6.10: these travel alone. INIT's packet has no verification tag yet.
    bool alone = type == SCTP_INIT || type == SCTP_INIT_ACK || type == SCTP_SHUTDOWN_COMPLETE;
    if (alone && (at != SCTP_HLEN || ((size + 3) & ~3u) + SCTP_HLEN < len)) return drop(c, DROP_SCTP_CHUNK);
    if ((type == SCTP_INIT) != (ip->sctp_tag == 0)) return drop(c, DROP_SCTP_CHUNK);
    if (!sctp_chunk(c, p + at, size)) return false;
    if (ip->sctp_chunks < UINT8_MAX) ip->sctp_chunks++;
    at += (size + 3) & ~3u;
  }
  if (ip->sctp_chunks == 0) return drop(c, DROP_SCTP_CHUNK);
  return true;
}

bool sctp_parse(struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  const uint8_t* p = c->data + ip->l4_off;
  if (ip->l4_len < SCTP_HLEN + 4) return drop(c, DROP_SCTP_SHORT);
  ip->sport = load16(p);
  ip->dport = load16(p + 2);
  ip->has_ports = true;
  ip->sctp_tag = load32(p + 4);
  if (ip->sport == 0 || ip->dport == 0) return drop(c, DROP_SCTP_SHORT);
  if (ip->fragment) return true;
  static const uint8_t zero[4] = {0};
  uint32_t stored = (uint32_t)p[8] | (uint32_t)p[9] << 8 | (uint32_t)p[10] << 16 | (uint32_t)p[11] << 24;
  uint32_t crc = crc32c(0xffffffffu, p, 8);
  crc = crc32c(crc, zero, 4);
  crc = ~crc32c(crc, p + SCTP_HLEN, ip->l4_len - SCTP_HLEN);
  if (crc != stored) return drop(c, DROP_SCTP_CHECKSUM);
  return sctp_chunks(c, p, ip->l4_len);
}

// An ICMP error quotes the packet that it is about: enough of it must be there to find the flow.
static bool quoted_packet_ok(const uint8_t* p, uint32_t len, uint8_t version) {
  if (version == 4) {
    if (len < IP4_HLEN + 8 || p[0] >> 4 != 4) return false;
    uint32_t hlen = (p[0] & 15u) * 4;
    return hlen >= IP4_HLEN && len >= hlen + 8;
  }
  return len >= IP6_HLEN && p[0] >> 4 == 6;
}

bool icmp4_parse(struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  const uint8_t* p = c->data + ip->l4_off;
  if (ip->l4_len < 8) return drop(c, DROP_ICMP_SHORT);
  ip->icmp_type = p[0];
  ip->icmp_code = p[1];
  if (!ip->fragment && checksum(p, ip->l4_len) != 0) return drop(c, DROP_L4_CHECKSUM);
  ip->payload_off = (uint16_t)(ip->l4_off + 8);
  ip->payload_len = (uint16_t)(ip->l4_len - 8);
  switch (ip->icmp_type) {
  case 0: // echo reply
  case 8: // echo
    if (ip->icmp_code != 0) return drop(c, DROP_ICMP_TYPE);
    return true;
  case 3: // destination unreachable
    if (ip->icmp_code > 15) return drop(c, DROP_ICMP_TYPE);
    return quoted_packet_ok(p + 8, ip->payload_len, 4) ? true : drop(c, DROP_ICMP_SHORT);
  case 5: // redirect: nobody but a first-hop router may send one, and the UE's is us
    return drop(c, DROP_ICMP_TYPE);
  case 11: // time exceeded
    if (ip->icmp_code > 1) return drop(c, DROP_ICMP_TYPE);
    return quoted_packet_ok(p + 8, ip->payload_len, 4) ? true : drop(c, DROP_ICMP_SHORT);
  case 12: // parameter problem
    if (ip->icmp_code > 2) return drop(c, DROP_ICMP_TYPE);
    return quoted_packet_ok(p + 8, ip->payload_len, 4) ? true : drop(c, DROP_ICMP_SHORT);
  case 13: // timestamp
  case 14:
    if (ip->l4_len < 20 || ip->icmp_code != 0) return drop(c, DROP_ICMP_TYPE);
    return true;
  case 42: // extended echo, RFC 8335
  case 43:
    return true;
  default:
    return drop(c, DROP_ICMP_TYPE); // deprecated or unassigned (RFC 6918)
  }
}

bool icmp6_parse(struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  const uint8_t* p = c->data + ip->l4_off;
  if (ip->l4_len < 8) return drop(c, DROP_ICMP_SHORT);
  ip->icmp_type = p[0];
  ip->icmp_code = p[1];
  if (!l4_checksum_ok(c, PROTO_ICMP6)) return drop(c, DROP_L4_CHECKSUM);
  ip->payload_off = (uint16_t)(ip->l4_off + 8);
  ip->payload_len = (uint16_t)(ip->l4_len - 8);
  switch (ip->icmp_type) {
  case 1: // destination unreachable
    if (ip->icmp_code > 8) return drop(c, DROP_ICMP_TYPE);
    return quoted_packet_ok(p + 8, ip->payload_len, 6) ? true : drop(c, DROP_ICMP_SHORT);
  case 2: // packet too big: RFC 8200 section 5 has no link below 1280
    if (load32(p + 4) < 1280) return drop(c, DROP_ICMP_TYPE);
    return quoted_packet_ok(p + 8, ip->payload_len, 6) ? true : drop(c, DROP_ICMP_SHORT);
  case 3: // time exceeded
    if (ip->icmp_code > 1) return drop(c, DROP_ICMP_TYPE);
    return quoted_packet_ok(p + 8, ip->payload_len, 6) ? true : drop(c, DROP_ICMP_SHORT);
  case 4: // parameter problem
    if (ip->icmp_code > 11) return drop(c, DROP_ICMP_TYPE);
    return quoted_packet_ok(p + 8, ip->payload_len, 6) ? true : drop(c, DROP_ICMP_SHORT);
  case 128: // echo
  case 129:
    if (ip->icmp_code != 0) return drop(c, DROP_ICMP_TYPE);
    return true;
  case 133: // router and neighbour discovery never cross a router (RFC 4861: hop limit 255)
  case 134:
  case 135:
  case 136:
  case 137:
    if (ip->ttl != 255 || ip->icmp_code != 0) return drop(c, DROP_ICMP_TYPE);
    return true;
  case 130: // multicast listener discovery
  case 131:
  case 132:
  case 143:
    return ip->ttl == 1 ? true : drop(c, DROP_ICMP_TYPE);
  default:
    if (ip->icmp_type < 128) return drop(c, DROP_ICMP_TYPE); // an unknown error
    return true;
  }
}
