// The user's IPv6 header (RFC 8200) and its chain of extension headers, in which every option is read.

#include "phases.h"

enum {
  OPT6_PAD1 = 0x00,
  OPT6_PADN = 0x01,
  OPT6_TUNNEL_LIMIT = 0x04,
  OPT6_ROUTER_ALERT = 0x05,
  OPT6_CALIPSO = 0x07,
  OPT6_QUICK_START = 0x26,
  OPT6_RPL = 0x63,
  OPT6_JUMBO = 0xc2,
  OPT6_HOME_ADDRESS = 0xc9
};

// Where the walk over the chain stands.
struct chain {
  uint32_t at;   // offset of the header to read
  uint32_t seen; // 1 bit per kind of header
  uint8_t next;  // its type
  bool done;     // next is a transport protocol
};

enum { SEEN_HOP = 1, SEEN_DEST = 2, SEEN_ROUTING = 4, SEEN_FRAGMENT = 8, SEEN_AH = 16, SEEN_DEST_LAST = 32 };

// RFC 4443 section 3.4: the code says what is wrong, the pointer where.
static bool parameter_problem(struct pkt_ctx* c, enum drop_reason reason, uint8_t code, const uint8_t* at) {
  c->problem_code = code;
  c->problem_off = (uint16_t)(at - (c->data + c->ip.off));
  return refuse(c, reason, REPLY_ICMP6_PARAMETER);
}

// RFC 8200 section 4.2: the two top bits say what to do with an option that is not understood.
static bool unknown_option(struct pkt_ctx* c, uint8_t type, const uint8_t* at) {
  switch (type >> 6) {
  case 0:
    return true;
  case 1:
    return drop(c, DROP_IP6_EXTENSION);
  default:
    return parameter_problem(c, DROP_IP6_EXTENSION, 2, at);
  }
}

static bool one_option(struct pkt_ctx* c, uint8_t type, const uint8_t* p, uint32_t len, bool hop_by_hop) {
  switch (type) {
  case OPT6_PADN:
    for (uint32_t i = 0; i < len; i++)
      if (p[i] != 0) return drop(c, DROP_IP6_EXTENSION); // RFC 4942 section 2.1.9.5: a covert channel
    return true;
  case OPT6_TUNNEL_LIMIT:
    if (len != 1 || hop_by_hop) return drop(c, DROP_IP6_EXTENSION);
    return true;
  case OPT6_ROUTER_ALERT:
    if (len != 2 || !hop_by_hop) return drop(c, DROP_IP6_EXTENSION);
    c->notices |= NOTE_ROUTER_ALERT;
    return true;
  case OPT6_CALIPSO:
    if (len < 8 || (uint32_t)p[4] * 4 + 8 > len) return drop(c, DROP_IP6_EXTENSION);
    return true;
  case OPT6_QUICK_START:
    if (len != 6) return drop(c, DROP_IP6_EXTENSION);
    return true;
  case OPT6_RPL:
    if (len < 4 || !hop_by_hop) return drop(c, DROP_IP6_EXTENSION);
    return true;
  case OPT6_JUMBO:
    return drop(c, DROP_IP6_EXTENSION); // no link here carries one
  case OPT6_HOME_ADDRESS:
    if (len != 16 || hop_by_hop || martian6(p, true)) return drop(c, DROP_IP6_EXTENSION);
    return true;
  default:
    return unknown_option(c, type, p - 2);
  }
}

static bool options_parse(struct pkt_ctx* c, const uint8_t* p, uint32_t len, bool hop_by_hop) {
  unsigned pads = 0;
  for (uint32_t at = 0; at < len;) {
    uint8_t type = p[at];
    if (type == OPT6_PAD1) {
      // Alignment never needs more than seven octets of padding in a row.
      if (++pads > 7) return drop(c, DROP_IP6_EXTENSION);
      at++;
      continue;
    }
    if (at + 2 > len) return drop(c, DROP_IP6_EXTENSION);
    uint32_t size = p[at + 1];
    if (at + 2 + size > len) return drop(c, DROP_IP6_EXTENSION);
    if (type != OPT6_PADN) pads = 0;
    if (!one_option(c, type, p + at + 2, size, hop_by_hop)) return false;
    at += 2 + size;
  }
  return true;
}

static bool routing_parse(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  uint8_t type = p[2], left = p[3];
  switch (type) {
  case 0: // RFC 5095 withdraws it
    return left ? parameter_problem(c, DROP_IP6_ROUTING, 0, p + 2) : drop(c, DROP_IP6_ROUTING);
  case 2: // mobile IPv6, RFC 6275 section 6.4: exactly one address
    if (len != 24 || left > 1) return drop(c, DROP_IP6_EXTENSION);
    return true;
  case 3: // RPL source route, RFC 6554
    if (len < 8) return drop(c, DROP_IP6_EXTENSION);
    return true;
  case 4: { // segment routing, RFC 8754 section 2
    if (len < 8) return drop(c, DROP_IP6_EXTENSION);
    uint32_t last = p[4];
    if (8 + (last + 1) * 16 > len || left > last) return drop(c, DROP_IP6_EXTENSION);
    return true;
  }
  default:
    return left ? parameter_problem(c, DROP_IP6_ROUTING, 0, p + 2) : true;
  }
}

static bool fragment_parse(struct pkt_ctx* c, struct chain* k) {
  struct ip_view* ip = &c->ip;
  const uint8_t* p = c->data + k->at;
  uint16_t word = load16(p + 2);
  uint32_t payload = c->len - k->at - 8;
  ip->fragment_off = word & 0xfff8;
  ip->more_fragments = word & 1;
  ip->fragment_id = load32(p + 4);
  k->next = p[0];
  k->at += 8;
  if (ip->fragment_off == 0 && !ip->more_fragments) return true; // atomic fragment, RFC 6946
  ip->fragment = true;
  ip->first_fragment = ip->fragment_off == 0;
  if (ip->fragment_off + payload > 65535) return drop(c, DROP_IP_FRAGMENT);
  if (ip->more_fragments && (payload == 0 || payload % 8 != 0)) return drop(c, DROP_IP_FRAGMENT);
  c->notices |= ip->first_fragment ? NOTE_FRAGMENT_FIRST : NOTE_FRAGMENT_LATER;
  // What follows in a later fragment is data, whatever its type says.
  if (!ip->first_fragment) k->done = true;
  return true;
}

// RFC 8200 section 4.1: each kind once, in order; destination options also in front of a routing header.
static bool order_ok(struct chain* k) {
  uint32_t kind, later;
  switch (k->next) {
  case PROTO_HOPOPTS:
    kind = SEEN_HOP;
    later = ~0u;
    break;
  case PROTO_DSTOPTS:
    kind = k->seen & (SEEN_DEST | SEEN_ROUTING | SEEN_FRAGMENT | SEEN_AH) ? SEEN_DEST_LAST : SEEN_DEST;
    later = SEEN_DEST_LAST;
    break;
  case PROTO_ROUTING:
    kind = SEEN_ROUTING;
    later = SEEN_ROUTING | SEEN_FRAGMENT | SEEN_AH | SEEN_DEST_LAST;
    break;
  case PROTO_FRAGMENT:
    kind = SEEN_FRAGMENT;
    later = SEEN_FRAGMENT | SEEN_AH | SEEN_DEST_LAST;
    break;
  default:
    kind = SEEN_AH;
    later = SEEN_AH | SEEN_DEST_LAST;
    break;
  }
  if (k->seen & later) return false;
  k->seen |= kind;
  return true;
}

static bool header_parse(struct pkt_ctx* c, struct chain* k) {
  const uint8_t* p = c->data + k->at;
  if (!order_ok(k)) return drop(c, DROP_IP6_ORDER);
  c->notices |= NOTE_IP6_EXTENSIONS;
  if (k->at + 8 > c->len) return drop(c, DROP_IP6_EXTENSION);
  if (k->next == PROTO_FRAGMENT) return fragment_parse(c, k);
  uint32_t len = k->next == PROTO_AH ? (p[1] + 2u) * 4 : (p[1] + 1u) * 8;
  if (k->at + len > c->len) return drop(c, DROP_IP6_EXTENSION);
  switch (k->next) {
  case PROTO_HOPOPTS:
    if (!options_parse(c, p + 2, len - 2, true)) return false;
    break;
  case PROTO_DSTOPTS:
    if (!options_parse(c, p + 2, len - 2, false)) return false;
    break;
  case PROTO_ROUTING:
    if (!routing_parse(c, p, len)) return false;
    break;
  default: // AH, RFC 4302
    if (len < 12 || len % 8 != 0) return drop(c, DROP_IP6_EXTENSION);
    c->ip.spi = load32(p + 4);
    c->ip.has_spi = true;
    c->notices |= NOTE_AH;
    break;
  }
  k->next = p[0];
  k->at += len;
  return true;
}

static bool chain_parse(struct pkt_ctx* c, struct chain* k) {
  while (!k->done) {
    switch (k->next) {
    case PROTO_HOPOPTS:
    case PROTO_DSTOPTS:
    case PROTO_ROUTING:
    case PROTO_FRAGMENT:
    case PROTO_AH:
      if (!header_parse(c, k)) return false;
      break;
    default:
      k->done = true;
    }
  }
  return true;
}

bool ip6_parse(struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  uint32_t off = ip->off;
  const uint8_t* p = c->data + off;
  if (off + IP6_HLEN > c->len) return drop(c, DROP_IP_SHORT);
  uint32_t payload = load16(p + 4);
  if (off + IP6_HLEN + payload > c->len) return drop(c, DROP_IP_LENGTH);
  if (off + IP6_HLEN + payload < c->len) {
    c->notices |= NOTE_PADDED;
    c->len = off + IP6_HLEN + payload;
  }
  ip->version = 6;
  ip->tos = (uint8_t)(load16(p) >> 4);
  ip->flow_label = load32(p) & 0xfffff;
  ip->ttl = p[7];
  ip->len = (uint16_t)(IP6_HLEN + payload);
  ip->dont_fragment = true; // routers never fragment IPv6
  memcpy(ip->src, p + 8, 16);
  memcpy(ip->dst, p + 24, 16);
  if (martian6(p + 8, true) || martian6(p + 24, false)) return drop(c, DROP_IP_ADDRESS);
  if (memcmp(p + 8, p + 24, 16) == 0) return drop(c, DROP_IP_ADDRESS);
  struct chain k = {.at = off + IP6_HLEN, .next = p[6]};
  if (!chain_parse(c, &k)) return false;
  ip->proto = k.next;
  ip->l4_off = (uint16_t)k.at;
  ip->l4_len = (uint16_t)(c->len - k.at);
  return transport_parse(c);
}
