// Carrying out the FAR (TS 29.244 section 5.2.1B): what becomes of the packet, its hop limit, its markings,
// its outer headers.

#include "checksum.h"
#include "phases.h"

enum { FRONT_ROOM = ETH_HLEN + 4 };

// RFC 1812 section 5.3.1, RFC 8200 section 3.
static bool hop_limit_ok(struct pkt_ctx* c) {
  if (c->ip.ttl > 1) return true;
  return refuse(c, DROP_IP_TTL, REPLY_ICMP_TTL);
}

static void hop_limit_decrement(struct pkt_ctx* c) {
  uint8_t* p = c->data + c->ip.off;
  if (c->ip.version == 4) {
    uint16_t before = load16(p + 8);
    p[8]--;
    store16(p + 10, checksum_update(load16(p + 10), before, load16(p + 8)));
  } else {
    p[7]--;
  }
  c->ip.ttl--;
}

// Rewrites the DSCP, keeps the ECN bits.
static void remark(struct pkt_ctx* c, uint8_t dscp) {
  uint8_t* p = c->data + c->ip.off;
  uint8_t tos = (uint8_t)(dscp << 2 | (c->ip.tos & 3));
  if (tos == c->ip.tos) return;
  c->notices |= NOTE_MARKED;
  uint16_t before = load16(p);
  if (c->ip.version == 4) {
    p[1] = tos;
    store16(p + 10, checksum_update(load16(p + 10), before, load16(p)));
  } else {
    store16(p, (uint16_t)((before & 0xf00f) | tos << 4));
  }
  c->ip.tos = tos;
}

// Out-of-profile packets of an assured-forwarding class get its highest drop precedence (RFC 2597).
static uint8_t profile_dscp(const struct pkt_ctx* c, uint8_t dscp) {
  bool assured = dscp >= 10 && dscp <= 38 && (dscp & 1) == 0 && (dscp & 6) != 0;
  if (c->in_profile || !assured) return dscp;
  return (uint8_t)((dscp & 0x38) | 6);
}

static bool mtu_ok(struct pkt_ctx* c, uint32_t overhead, uint16_t mtu) {
  c->path_mtu = (uint16_t)(mtu - overhead);
  if (c->ip.len + overhead <= mtu) return true;
  if (!c->ip.dont_fragment) return drop(c, DROP_TOO_BIG);
  return refuse(c, DROP_TOO_BIG, REPLY_ICMP_TOO_BIG);
}

// What the PDR's QERs say about the flow's mark in the GTP-U header (TS 29.244 section 5.4.3).
static void qos_fill(const struct pkt_ctx* c, struct tunnel* t) {
  const struct qer* qers = c->session->rules->qers;
  t->qfi = c->gtpu.qfi;
  t->has_qfi = c->gtpu.has_qfi;
  for (unsigned i = 0; i < c->pdr->nqers; i++) {
    const struct qer* q = &qers[c->pdr->qer[i]];
    if (q->qfi) {
      t->qfi = q->qfi;
      t->has_qfi = true;
    }
    if (q->rqi) t->rqi = true;
    if (q->has_ppi) {
      t->ppi = q->ppi;
      t->has_ppi = true;
    }
  }
}

static void tunnel_fill(const struct config* config, const struct pkt_ctx* c, struct tunnel* t) {
  const struct far* f = c->far;
  memset(t, 0, sizeof *t);
  t->port = &config->port[c->out_port];
  t->peer = f->outer == OUTER_FIXED ? &f->peer : &c->session->gnb;
  t->teid = f->outer == OUTER_FIXED ? f->teid : c->session->peer_teid;
  t->has_seq = f->sequence;
  qos_fill(c, t);
}

// Whether the FAR will send the packet on. Comes before policing and accounting, so that nobody pays for
// packets that go nowhere.
bool far_decide(const struct config* config, struct pkt_ctx* c) {
  const struct far* f = c->far;
  const struct port_config* port = &config->port[f->dest];
  const uint8_t* ip = c->data + c->ip.off;
  uint32_t overhead = 0;
  if (f->actions & FAR_DROP) return drop(c, DROP_FAR_DROP);
  if (!hop_limit_ok(c)) return false;
  c->out_port = f->dest;
  if (f->outer != OUTER_NONE) {
    tunnel_fill(config, c, &c->tunnel);
    overhead = tunnel_overhead(&c->tunnel);
  }
  if (!mtu_ok(c, overhead, port->mtu)) return false;
  return frame_fits(c, ip, overhead + FRONT_ROOM, c->ip.len) || drop(c, DROP_NO_ROOM);
}

static void to_network(const struct config* config, struct pkt_ctx* c) {
  const struct far* f = c->far;
  uint8_t* ip = c->data + c->ip.off;
  if (f->has_marking) remark(c, profile_dscp(c, f->marking));
  uint8_t* start = ethernet_build(&config->port[c->out_port], ip, c->ip.version == 4 ? ETH_P_IP4 : ETH_P_IP6);
  frame_set(c, start, (uint32_t)(ip - start) + c->ip.len);
}

static void to_tunnel(uint16_t* tunnel_seq, struct pkt_ctx* c) {
  const struct far* f = c->far;
  struct tunnel* t = &c->tunnel;
  // RFC 6040: the outer header carries the user's ECN bits on.
  uint8_t dscp = f->copy_marking ? c->ip.tos >> 2 : 0;
  if (f->has_marking) dscp = profile_dscp(c, f->marking);
  t->tos = (uint8_t)(dscp << 2 | (c->ip.tos & 3));
  if (t->has_seq) t->seq = tunnel_seq[c->session->index]++;
  if (t->rqi) c->notices |= NOTE_REFLECTIVE_QOS;
  uint8_t* ip = c->data + c->ip.off;
  uint8_t* start = tunnel_build(t, ip, c->ip.len);
  frame_set(c, start, (uint32_t)(ip - start) + c->ip.len);
}

// Segments that answer an announcement come back the other way, so both the way out and the tunnel count.
static uint16_t mss_mtu(const struct config* config, const struct pkt_ctx* c) {
  uint32_t ip = c->session->gnb.family == 4 ? IP4_HLEN : IP6_HLEN;
  uint32_t overhead = ip + UDP_HLEN + GTPU_HLEN + GTPU_OPT_LEN + 8; // with the longest container
  uint16_t tunnel = (uint16_t)(config->port[IF_ACCESS].mtu - overhead);
  return tunnel < c->path_mtu ? tunnel : c->path_mtu;
}

// A TCP segment as large as the announced MSS must fit the tunnel (RFC 4459 section 3.3, RFC 6691).
static void clamp_mss(struct pkt_ctx* c, uint16_t mtu) {
  uint32_t headers = (c->ip.version == 4 ? IP4_HLEN : IP6_HLEN) + TCP_HLEN;
  uint16_t limit = (uint16_t)(mtu - headers);
  if (!c->ip.tcp_has_mss || c->ip.fragment || c->ip.tcp_mss <= limit) return;
  uint8_t* option = c->data + c->ip.tcp_mss_off;
  uint8_t* sum = c->data + c->ip.l4_off + 16;
  // An option at an odd offset contributes its octets the other way round.
  bool odd = (c->ip.tcp_mss_off - c->ip.l4_off) & 1;
  uint16_t before = odd ? __builtin_bswap16(c->ip.tcp_mss) : c->ip.tcp_mss;
  uint16_t after = odd ? __builtin_bswap16(limit) : limit;
  store16(option, limit);
  store16(sum, checksum_update(load16(sum), before, after));
  c->notices |= NOTE_MSS_CLAMPED;
}

void far_apply(const struct config* config, uint16_t* tunnel_seq, struct pkt_ctx* c) {
  const struct far* f = c->far;
  hop_limit_decrement(c);
  clamp_mss(c, mss_mtu(config, c));
  if (f->has_inner_marking) remark(c, f->inner_marking);
  if (f->outer == OUTER_NONE)
    to_network(config, c);
  else
    to_tunnel(tunnel_seq, c);
  c->duplicate = f->actions & FAR_DUPLICATE;
  c->verdict = f->actions & FAR_BUFFER ? VERDICT_BUFFER : VERDICT_FORWARD;
}
