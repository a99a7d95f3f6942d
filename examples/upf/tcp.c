// TCP (RFC 9293): header, flags, every option.

#include "phases.h"

enum {
  TCPOPT_END = 0,
  TCPOPT_NOP = 1,
  TCPOPT_MSS = 2,
  TCPOPT_WSCALE = 3,
  TCPOPT_SACK_PERMITTED = 4,
  TCPOPT_SACK = 5,
  TCPOPT_TIMESTAMP = 8,
  TCPOPT_MD5 = 19,
  TCPOPT_AO = 29,
  TCPOPT_MPTCP = 30,
  TCPOPT_FAST_OPEN = 34,
};

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16, URG = 32 };

// Combinations that no stack sends and scanners do (RFC 9293 section 3.10.7, RFC 793 errata).
static bool flags_ok(uint8_t flags) {
  if ((flags & (SYN | FIN)) == (SYN | FIN)) return false;
  if ((flags & (SYN | RST)) == (SYN | RST)) return false;
  if ((flags & (FIN | RST)) == (FIN | RST)) return false;
  if ((flags & (FIN | SYN | RST | ACK)) == 0) return false;                                  // null scan
  if ((flags & (FIN | PSH | URG)) && !(flags & ACK) && !(flags & (SYN | RST))) return false; // xmas scan
  return true;
}

// RFC 2018: pairs of edges, each left of its right one; up to four fit.
static bool sack_option(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  if (len < 10 || (len - 2) % 8 != 0 || len > 34) return drop(c, DROP_TCP_OPTION);
  for (uint32_t at = 2; at < len; at += 8) {
    uint32_t left = load32(p + at), right = load32(p + at + 4);
    if ((int32_t)(right - left) <= 0) return drop(c, DROP_TCP_OPTION);
  }
  c->notices |= NOTE_TCP_SACK;
  return true;
}

// RFC 8684 section 3: subtype in the third octet's upper half, with fixed sizes for most subtypes.
static bool mptcp_option(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  if (len < 3) return drop(c, DROP_TCP_OPTION);
  switch (p[2] >> 4) {
  case 0: // MP_CAPABLE
    if (len != 4 && len != 12 && len != 20 && len != 22 && len != 24) return drop(c, DROP_TCP_OPTION);
    return true;
  case 1: // MP_JOIN
    if (len != 12 && len != 16 && len != 24) return drop(c, DROP_TCP_OPTION);
    return true;
  case 2: // DSS
    if (len < 4 || len > 28) return drop(c, DROP_TCP_OPTION);
    return true;
  default:
    return true;
  }
}

static bool one_option(struct pkt_ctx* c, uint8_t kind, const uint8_t* p, uint32_t len) {
  struct ip_view* ip = &c->ip;
  bool syn = ip->tcp_flags & SYN;
  switch (kind) {
  case TCPOPT_MSS:
    if (len != 4) return drop(c, DROP_TCP_OPTION);
    if (!syn) return true; // RFC 9293: ignored elsewhere
    ip->tcp_mss = load16(p + 2);
    ip->tcp_has_mss = true;
    ip->tcp_mss_off = (uint16_t)(p + 2 - c->data);
    if (ip->tcp_mss < 64) return drop(c, DROP_TCP_OPTION);
    return true;
  case TCPOPT_WSCALE:
    if (len != 3) return drop(c, DROP_TCP_OPTION);
    if (!syn) return true;
    ip->tcp_has_wscale = true;
    ip->tcp_wscale = p[2] > 14 ? 14 : p[2]; // RFC 7323 section 2.3
    return true;
  case TCPOPT_SACK_PERMITTED:
    if (len != 2) return drop(c, DROP_TCP_OPTION);
    return true;
  case TCPOPT_SACK:
    return sack_option(c, p, len);
  case TCPOPT_TIMESTAMP:
    if (len != 10) return drop(c, DROP_TCP_OPTION);
    ip->tcp_tsval = load32(p + 2);
    ip->tcp_tsecr = load32(p + 6);
    c->notices |= NOTE_TCP_TIMESTAMP;
    return true;
  case TCPOPT_MD5:
    if (len != 18) return drop(c, DROP_TCP_OPTION);
    return true;
  case TCPOPT_AO:
    if (len < 4) return drop(c, DROP_TCP_OPTION);
    return true;
  case TCPOPT_MPTCP:
    return mptcp_option(c, p, len);
  case TCPOPT_FAST_OPEN:
    if (len != 2 && (len < 6 || len > 18 || len % 2 != 0)) return drop(c, DROP_TCP_OPTION); // RFC 7413
    return true;
  default:
    return true;
  }
}

static bool options_parse(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  for (uint32_t at = 0; at < len;) {
    uint8_t kind = p[at];
    if (kind == TCPOPT_END) return true;
    if (kind == TCPOPT_NOP) {
      at++;
      continue;
    }
    if (at + 2 > len) return drop(c, DROP_TCP_OPTION);
    uint32_t size = p[at + 1];
    if (size < 2 || at + size > len) return drop(c, DROP_TCP_OPTION);
    if (!one_option(c, kind, p + at, size)) return false;
    at += size;
  }
  return true;
}

bool tcp_parse(struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  const uint8_t* p = c->data + ip->l4_off;
  if (ip->l4_len < TCP_HLEN) return drop(c, ip->fragment ? DROP_IP_FRAGMENT : DROP_TCP_SHORT); // RFC 1858
  ip->sport = load16(p);
  ip->dport = load16(p + 2);
  ip->has_ports = true;
  ip->tcp_seq = load32(p + 4);
  ip->tcp_ack = load32(p + 8);
  ip->tcp_flags = p[13];
  ip->tcp_window = load16(p + 14);
  uint32_t hlen = (p[12] >> 4) * 4u;
  if (hlen < TCP_HLEN || hlen > ip->l4_len) return drop(c, DROP_TCP_HEADER);
  if (ip->sport == 0 || ip->dport == 0) return drop(c, DROP_TCP_HEADER);
  if (!flags_ok(ip->tcp_flags)) return drop(c, DROP_TCP_FLAGS);
  if (ip->tcp_flags & URG) c->notices |= NOTE_TCP_URGENT;
  if (hlen > TCP_HLEN && !options_parse(c, p + TCP_HLEN, hlen - TCP_HLEN)) return false;
  if (!l4_checksum_ok(c, PROTO_TCP)) return drop(c, DROP_L4_CHECKSUM);
  ip->payload_off = (uint16_t)(ip->l4_off + hlen);
  ip->payload_len = (uint16_t)(ip->l4_len - hlen);
  return true;
}
