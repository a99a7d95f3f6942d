// The user's IPv4 header (RFC 791, RFC 1812 section 5.2.2) with all its options.

#include "checksum.h"
#include "phases.h"

enum {
  OPT_END = 0,
  OPT_NOP = 1,
  OPT_RR = 7,
  OPT_TIMESTAMP = 68,
  OPT_SECURITY = 130,
  OPT_LSRR = 131,
  OPT_CIPSO = 134,
  OPT_STREAM_ID = 136,
  OPT_SSRR = 137,
  OPT_ROUTER_ALERT = 148
};

// Record route and source routes share a layout: pointer from 4 on, then addresses of four octets.
static bool route_option(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  if (len < 3 || (len - 3) % 4 != 0) return drop(c, DROP_IP_OPTION);
  uint8_t pointer = p[2];
  if (pointer < 4 || (pointer - 4) % 4 != 0 || pointer > len + 1u) return drop(c, DROP_IP_OPTION);
  for (uint32_t at = 3; at + 4 < pointer; at += 4)
    if (martian4(p + at, false)) return drop(c, DROP_IP_OPTION);
  return true;
}

static bool timestamp_option(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  if (len < 4) return drop(c, DROP_IP_OPTION);
  uint8_t pointer = p[2];
  uint8_t flag = p[3] & 15;
  uint32_t unit = flag == 0 ? 4 : 8;
  if (flag != 0 && flag != 1 && flag != 3) return drop(c, DROP_IP_OPTION);
  if ((len - 4) % unit != 0) return drop(c, DROP_IP_OPTION);
  if (pointer < 5 || (pointer - 5) % unit != 0 || pointer > len + 1u) return drop(c, DROP_IP_OPTION);
  c->notices |= NOTE_TIMESTAMP;
  return true;
}

static bool security_option(struct pkt_ctx* c, uint8_t type, const uint8_t* p, uint32_t len) {
  if (type == OPT_SECURITY) {
    if (len < 3) return drop(c, DROP_IP_OPTION); // RFC 1108 section 2
    return true;
  }
  if (len < 6) return drop(c, DROP_IP_OPTION); // CIPSO: domain of interpretation, then tags
  for (uint32_t at = 6; at < len;) {
    uint32_t tag = at + 1 < len ? p[at + 1] : 0;
    if (tag < 2 || at + tag > len) return drop(c, DROP_IP_OPTION);
    at += tag;
  }
  return true;
}

static bool one_option(struct pkt_ctx* c, uint8_t type, const uint8_t* p, uint32_t len) {
  switch (type) {
  case OPT_RR:
    c->notices |= NOTE_RECORD_ROUTE;
    return route_option(c, p, len);
  case OPT_LSRR:
  case OPT_SSRR:
    if (!route_option(c, p, len)) return false;
    return drop(c, DROP_IP_SOURCE_ROUTE); // a way round every filter (RFC 7126 section 4.3)
  case OPT_TIMESTAMP:
    return timestamp_option(c, p, len);
  case OPT_ROUTER_ALERT:
    if (len != 4) return drop(c, DROP_IP_OPTION); // RFC 2113
    c->notices |= NOTE_ROUTER_ALERT;
    return true;
  case OPT_SECURITY:
  case OPT_CIPSO:
    return security_option(c, type, p, len);
  case OPT_STREAM_ID:
    if (len != 4) return drop(c, DROP_IP_OPTION);
    return true;
  default:
    return true; // RFC 7126 section 4.23: pass what is unknown
  }
}

static bool options_parse(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  uint32_t seen = 0; // route and security options must not occur twice
  c->notices |= NOTE_IP_OPTIONS;
  for (uint32_t at = 0; at < len;) {
    uint8_t type = p[at];
    if (type == OPT_END) return true;
    if (type == OPT_NOP) {
      at++;
      continue;
    }
    if (at + 2 > len) return drop(c, DROP_IP_OPTION);
    uint32_t size = p[at + 1];
    if (size < 2 || at + size > len) return drop(c, DROP_IP_OPTION);
    if (seen >> (type & 31) & 1) return drop(c, DROP_IP_OPTION);
    seen |= 1u << (type & 31);
    if (!one_option(c, type, p + at, size)) return false;
    at += size;
  }
  return true;
}

static bool fragment_fields(struct pkt_ctx* c, const uint8_t* p, uint32_t payload) {
  struct ip_view* ip = &c->ip;
  uint16_t word = load16(p + 6);
  if (word & 0x8000) return drop(c, DROP_IP_FRAGMENT); // reserved bit
  ip->dont_fragment = word & 0x4000;
  ip->more_fragments = word & 0x2000;
  ip->fragment_off = (uint16_t)((word & 0x1fff) * 8);
  ip->fragment_id = load16(p + 4);
  ip->fragment = ip->more_fragments || ip->fragment_off != 0;
  if (!ip->fragment) return true;
  ip->first_fragment = ip->fragment_off == 0;
  if (ip->dont_fragment) return drop(c, DROP_IP_FRAGMENT);
  if (ip->fragment_off + payload > 65535 - IP4_HLEN) return drop(c, DROP_IP_FRAGMENT); // ping of death
  if (ip->more_fragments && (payload == 0 || payload % 8 != 0)) return drop(c, DROP_IP_FRAGMENT);
  // RFC 3128: a second fragment that begins inside the TCP header overwrites its flags.
  if (ip->fragment_off == 8 && p[9] == PROTO_TCP) return drop(c, DROP_IP_FRAGMENT);
  c->notices |= ip->first_fragment ? NOTE_FRAGMENT_FIRST : NOTE_FRAGMENT_LATER;
  return true;
}

bool ip4_parse(struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  uint32_t off = ip->off;
  const uint8_t* p = c->data + off;
  if (off + IP4_HLEN > c->len) return drop(c, DROP_IP_SHORT);
  uint32_t hlen = (p[0] & 15u) * 4;
  uint32_t total = load16(p + 2);
  if (hlen < IP4_HLEN || off + hlen > c->len) return drop(c, DROP_IP_HEADER_LENGTH);
  if (total < hlen || off + total > c->len) return drop(c, DROP_IP_LENGTH);
  if (off + total < c->len) {
    c->notices |= NOTE_PADDED;
    c->len = off + total;
  }
  if (checksum(p, hlen) != 0) return drop(c, DROP_IP_CHECKSUM);
  ip->version = 4;
  ip->tos = p[1];
  ip->ttl = p[8];
  ip->proto = p[9];
  ip->len = (uint16_t)total;
  ip->l4_off = (uint16_t)(off + hlen);
  ip->l4_len = (uint16_t)(total - hlen);
  memcpy(ip->src, p + 12, 4);
  memcpy(ip->dst, p + 16, 4);
  if (martian4(p + 12, true) || martian4(p + 16, false)) return drop(c, DROP_IP_ADDRESS);
  if (memcmp(p + 12, p + 16, 4) == 0) return drop(c, DROP_IP_ADDRESS); // "land"
  if (hlen > IP4_HLEN && !options_parse(c, p + IP4_HLEN, hlen - IP4_HLEN)) return false;
  if (!fragment_fields(c, p, total - hlen)) return false;
  return transport_parse(c);
}
