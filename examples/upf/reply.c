// Answers, built in the buffer of the packet that they answer: GTP-U echo, error indication and supported
// extension headers; ICMP errors and echoes; ARP and neighbour advertisements. Errors are rate limited
// (RFC 1812 section 4.3.2.8, RFC 4443 section 2.4 f).

#include "checksum.h"
#include "phases.h"

enum { TTL = 64, ERRORS_PER_S = 1000, ERROR_BURST_NS = 50000000, ICMP4_QUOTE = 548, IP6_MIN_MTU = 1280 };

static bool within_limit(struct bucket* limit, uint64_t now) {
  if (limit->tat > now + ERROR_BURST_NS) return false;
  limit->tat = (limit->tat > now ? limit->tat : now) + NS_PER_S / ERRORS_PER_S;
  return true;
}

// Turns the frame round: to whoever sent it, on the port that it came in on.
static void ethernet_turn(const struct config* config, struct pkt_ctx* c) {
  memcpy(c->data, c->data + 6, 6);
  memcpy(c->data + 6, config->port[c->in_port].mac, 6);
  c->out_port = c->in_port;
  c->verdict = VERDICT_REPLY;
}

// GTP-U answers keep the outer headers' layout: `len` octets of GTP-U at c->gtpu.off go back to the sender.
static void outer_turn(const struct config* config, struct pkt_ctx* c, uint32_t len) {
  uint8_t* ip = c->data + c->outer.ip_off;
  uint8_t* udp = c->data + c->outer.udp_off;
  uint16_t udp_len = (uint16_t)(UDP_HLEN + len);
  uint32_t alen = c->outer.version == 4 ? 4 : 16;
  // Answers go to the sender's port, requests of our own (error indications) to the GTP-U port.
  store16(udp + 2, c->reply == REPLY_GTPU_ECHO ? c->outer.sport : GTPU_PORT);
  store16(udp, GTPU_PORT);
  store16(udp + 4, udp_len);
  store16(udp + 6, 0);
  uint64_t sum = checksum_add(0, c->outer.src, alen);
  sum = checksum_add(sum, c->outer.dst, alen) + PROTO_UDP + udp_len;
  uint16_t check = checksum_finish(checksum_add(sum, udp, udp_len));
  store16(udp + 6, check ? check : 0xffff);
  if (c->outer.version == 4) {
    store16(ip + 2, (uint16_t)(IP4_HLEN + udp_len));
    ip[8] = TTL;
    memcpy(ip + 12, c->outer.dst, 4);
    memcpy(ip + 16, c->outer.src, 4);
    store16(ip + 10, 0);
    store16(ip + 10, checksum(ip, IP4_HLEN));
  } else {
    store16(ip + 4, udp_len);
    ip[7] = TTL;
    memcpy(ip + 8, c->outer.dst, 16);
    memcpy(ip + 24, c->outer.src, 16);
  }
  ethernet_turn(config, c);
  frame_set(c, c->data, c->gtpu.off + len);
}

static uint8_t* gtpu_message(struct pkt_ctx* c, uint8_t type, uint16_t seq, uint32_t ie_len) {
  uint8_t* p = c->data + c->gtpu.off;
  p[0] = 0x20 | GTPU_FLAG_PT | GTPU_FLAG_S;
  p[1] = type;
  store16(p + 2, (uint16_t)(GTPU_OPT_LEN + ie_len));
  store32(p + 4, 0);
  store16(p + 8, seq);
  store16(p + 10, 0);
  return p + GTPU_HLEN + GTPU_OPT_LEN;
}

static void gtpu_echo(const struct config* config, struct pkt_ctx* c) {
  uint8_t* ie = gtpu_message(c, GTPU_ECHO_RESPONSE, c->gtpu.seq, 2);
  ie[0] = GTPU_IE_RECOVERY; // always zero, section 8.2
  ie[1] = 0;
  outer_turn(config, c, GTPU_HLEN + GTPU_OPT_LEN + 2);
}

// Section 7.3.1: the TEID that we do not know, and our address on which it came.
static void gtpu_error(const struct config* config, struct pkt_ctx* c) {
  uint32_t alen = c->outer.version == 4 ? 4 : 16;
  uint8_t* ie = gtpu_message(c, GTPU_ERROR_INDICATION, 0, 5 + 3 + alen);
  ie[0] = GTPU_IE_TEID_DATA;
  store32(ie + 1, c->gtpu.teid);
  ie[5] = GTPU_IE_PEER_ADDRESS;
  store16(ie + 6, (uint16_t)alen);
  memcpy(ie + 8, c->outer.dst, alen);
  outer_turn(config, c, GTPU_HLEN + GTPU_OPT_LEN + 8 + alen);
}

// Section 7.2.3: the extension headers that we do understand.
static void gtpu_extensions(const struct config* config, struct pkt_ctx* c) {
  static const uint8_t known[] = {GTPU_EXT_LONG_PDCP_ALT, GTPU_EXT_SERVICE_CLASS, GTPU_EXT_UDP_PORT,
                                  GTPU_EXT_RAN_CONTAINER, GTPU_EXT_PDU_SESSION,   GTPU_EXT_PDCP};
  uint8_t* ie = gtpu_message(c, GTPU_SUPPORTED_EXTENSIONS, 0, 2 + sizeof known);
  ie[0] = GTPU_IE_EXT_LIST;
  ie[1] = sizeof known;
  memcpy(ie + 2, known, sizeof known);
  outer_turn(config, c, GTPU_HLEN + GTPU_OPT_LEN + 2 + sizeof known);
}

// Sends the IP packet at `ip` back to whoever sent the packet at hand: through the session's tunnel to the
// UE, or out of N6.
static void ip_reply(const struct config* config, struct pkt_ctx* c, uint8_t* ip, uint32_t len) {
  const struct port_config* port = &config->port[c->in_port];
  uint8_t* start;
  if (c->in_port == IF_ACCESS) {
    struct tunnel t = {.port = port,
                       .peer = &c->session->gnb,
                       .teid = c->session->peer_teid,
                       .has_qfi = c->gtpu.has_qfi,
                       .qfi = c->gtpu.qfi};
    start = tunnel_build(&t, ip, len);
  } else {
    start = ethernet_build(port, ip, c->ip.version == 4 ? ETH_P_IP4 : ETH_P_IP6);
  }
  c->out_port = c->in_port;
  c->verdict = VERDICT_REPLY;
  frame_set(c, start, (uint32_t)(ip - start) + len);
}

static bool may_answer_error(const struct pkt_ctx* c) {
  const struct ip_view* ip = &c->ip;
  if (c->in_port == IF_ACCESS && !c->session) return false; // no way back
  if (ip->fragment && !ip->first_fragment) return false;
  if (ip->version == 4) {
    if (ip->dst[0] >= 224) return false;
    bool error = ip->icmp_type != 0 && ip->icmp_type != 8 && ip->icmp_type != 13 && ip->icmp_type != 14;
    return !(ip->proto == PROTO_ICMP && error);
  }
  if (ip->dst[0] == 0xff && c->reply != REPLY_ICMP_TOO_BIG) return false;
  return !(ip->proto == PROTO_ICMP6 && ip->icmp_type < 128);
}

static void icmp4_error(const struct config* config, struct pkt_ctx* c, uint8_t type, uint8_t code,
                        uint32_t extra) {
  uint8_t* quoted = c->data + c->ip.off;
  uint32_t quote = c->ip.len < ICMP4_QUOTE ? c->ip.len : ICMP4_QUOTE;
  uint8_t* icmp = quoted - 8;
  uint8_t* ip = icmp - IP4_HLEN;
  icmp[0] = type;
  icmp[1] = code;
  store16(icmp + 2, 0);
  store32(icmp + 4, extra);
  store16(icmp + 2, checksum(icmp, 8 + quote));
  ip[0] = 0x45;
  ip[1] = 0xc0; // internetwork control, RFC 1812 section 4.3.2.5
  store16(ip + 2, (uint16_t)(IP4_HLEN + 8 + quote));
  store32(ip + 4, 0);
  ip[8] = TTL;
  ip[9] = PROTO_ICMP;
  store16(ip + 10, 0);
  memcpy(ip + 12, config->port[IF_CORE].ip4, 4);
  memcpy(ip + 16, c->ip.src, 4);
  store16(ip + 10, checksum(ip, IP4_HLEN));
  ip_reply(config, c, ip, IP4_HLEN + 8 + quote);
}

static void icmp6_error(const struct config* config, struct pkt_ctx* c, uint8_t type, uint8_t code,
                        uint32_t extra) {
  uint8_t* quoted = c->data + c->ip.off;
  uint32_t room = IP6_MIN_MTU - IP6_HLEN - 8;
  uint32_t quote = c->ip.len < room ? c->ip.len : room;
  uint8_t* icmp = quoted - 8;
  uint8_t* ip = icmp - IP6_HLEN;
  icmp[0] = type;
  icmp[1] = code;
  store16(icmp + 2, 0);
  store32(icmp + 4, extra);
  store32(ip, 6u << 28 | 0xc0u << 20);
  store16(ip + 4, (uint16_t)(8 + quote));
  ip[6] = PROTO_ICMP6;
  ip[7] = TTL;
  memcpy(ip + 8, config->port[IF_CORE].ip6, 16);
  memcpy(ip + 24, c->ip.src, 16);
  uint64_t sum = checksum_add(PROTO_ICMP6 + (uint64_t)(8 + quote), ip + 8, 32);
  store16(icmp + 2, checksum_finish(checksum_add(sum, icmp, 8 + quote)));
  ip_reply(config, c, ip, IP6_HLEN + 8 + quote);
}

static void icmp_error(const struct config* config, struct pkt_ctx* c) {
  bool v4 = c->ip.version == 4;
  switch (c->reply) {
  case REPLY_ICMP_TTL:
    if (v4)
      icmp4_error(config, c, 11, 0, 0);
    else
      icmp6_error(config, c, 3, 0, 0);
    break;
  case REPLY_ICMP_TOO_BIG: // RFC 1191, RFC 4443 section 3.2
    if (v4)
      icmp4_error(config, c, 3, 4, c->path_mtu);
    else
      icmp6_error(config, c, 2, 0, c->path_mtu);
    break;
  default: // administratively prohibited
    if (v4)
      icmp4_error(config, c, 3, 13, 0);
    else
      icmp6_error(config, c, 1, 1, 0);
    break;
  }
}

// The echo's own packet becomes the reply: addresses change places, the type changes, the hop limit is new.
static void icmp_echo(const struct config* config, struct pkt_ctx* c) {
  uint8_t* ip = c->data + c->ip.off;
  uint8_t* icmp = c->data + c->ip.l4_off;
  uint16_t before = load16(icmp);
  if (c->ip.version == 4) {
    icmp[0] = 0;
    memcpy(ip + 12, c->ip.dst, 4);
    memcpy(ip + 16, c->ip.src, 4);
    ip[8] = TTL;
    uint32_t hlen = (ip[0] & 15u) * 4;
    store16(ip + 10, 0);
    store16(ip + 10, checksum(ip, hlen));
  } else {
    icmp[0] = 129;
    memcpy(ip + 8, c->ip.dst, 16);
    memcpy(ip + 24, c->ip.src, 16);
    ip[7] = TTL;
  }
  store16(icmp + 2, checksum_update(load16(icmp + 2), before, load16(icmp)));
  ethernet_turn(config, c);
  frame_set(c, c->data, c->ip.off + c->ip.len);
}

static void arp_reply(const struct config* config, struct pkt_ctx* c) {
  uint8_t* arp = c->data + c->l3_off;
  const struct port_config* port = &config->port[c->in_port];
  uint8_t sender[10];
  memcpy(sender, arp + 8, sizeof sender);
  store16(arp + 6, 2);
  memcpy(arp + 8, port->mac, 6);
  memcpy(arp + 14, port->ip4, 4);
  memcpy(arp + 18, sender, sizeof sender);
  ethernet_turn(config, c);
}

// RFC 4861 section 4.4, with the target's link-layer address.
static void nd_reply(const struct config* config, struct pkt_ctx* c) {
  enum { NA_LEN = 32 };
  static const uint8_t all_nodes[16] = {0xff, 2, [15] = 1};
  const struct port_config* port = &config->port[c->in_port];
  uint8_t* ip = c->data + c->l3_off;
  uint8_t* na = ip + IP6_HLEN;
  bool unspecified = (load32(ip + 8) | load32(ip + 12) | load32(ip + 16) | load32(ip + 20)) == 0;
  uint8_t to[16];
  memcpy(to, unspecified ? all_nodes : ip + 8, 16);
  memcpy(ip + 24, to, 16);
  memcpy(ip + 8, port->ip6, 16);
  store16(ip + 4, NA_LEN);
  ip[7] = 255;
  na[0] = 136;
  na[1] = 0;
  store16(na + 2, 0);
  store32(na + 4, unspecified ? 0xa0000000u : 0xe0000000u); // router, solicited, override
  memcpy(na + 8, port->ip6, 16);
  na[24] = 2;
  na[25] = 1;
  memcpy(na + 26, port->mac, 6);
  uint64_t sum = checksum_add(PROTO_ICMP6 + (uint64_t)NA_LEN, ip + 8, 32);
  store16(na + 2, checksum_finish(checksum_add(sum, na, NA_LEN)));
  ethernet_turn(config, c);
  frame_set(c, c->data, c->l3_off + IP6_HLEN + NA_LEN);
}

// The longest answer that is written behind or in front of what was received.
static bool room_ok(const struct pkt_ctx* c) {
  enum {
    FRONT = IP6_HLEN + 8 + IP6_HLEN + UDP_HLEN + GTPU_HLEN + GTPU_OPT_LEN + 4 + ETH_HLEN + 4,
    BACK = 64
  };
  if (c->reply >= REPLY_ICMP_TTL && c->reply <= REPLY_ICMP6_PARAMETER && c->reply != REPLY_ICMP_ECHO)
    return frame_fits(c, c->data + c->ip.off, FRONT, c->ip.len);
  return frame_fits(c, c->data, 0, c->len + BACK);
}

void reply_build(const struct config* config, struct bucket* limit, struct pkt_ctx* c) {
  if (!room_ok(c)) {
    drop(c, DROP_NO_ROOM);
    return;
  }
  bool is_error =
      c->reply == REPLY_GTPU_ERROR || c->reply == REPLY_GTPU_EXTENSIONS ||
      (c->reply >= REPLY_ICMP_TTL && c->reply != REPLY_ICMP_ECHO && c->reply <= REPLY_ICMP6_PARAMETER);
  bool is_icmp = is_error && c->reply >= REPLY_ICMP_TTL;
  if (is_icmp && !may_answer_error(c)) return;
  if (is_error && !within_limit(limit, c->now)) {
    drop(c, DROP_REPLY_LIMIT);
    return;
  }
  switch (c->reply) {
  case REPLY_GTPU_ECHO:
    gtpu_echo(config, c);
    break;
  case REPLY_GTPU_ERROR:
    gtpu_error(config, c);
    break;
  case REPLY_GTPU_EXTENSIONS:
    gtpu_extensions(config, c);
    break;
  case REPLY_ICMP_ECHO:
    icmp_echo(config, c);
    break;
  case REPLY_ICMP6_PARAMETER:
    icmp6_error(config, c, 4, c->problem_code, c->problem_off);
    break;
  case REPLY_ARP:
    arp_reply(config, c);
    break;
  case REPLY_ND:
    nd_reply(config, c);
    break;
  default:
    icmp_error(config, c);
    break;
  }
}
