// The packet path from end to end. Read this file first.

#include "meter.h"
#include "phases.h"
#ifdef UPF_TRAINING
#include "model/training.h"
#endif

static void ctx_init(struct pkt_ctx* c, struct rte_mbuf* m, enum interface port, uint64_t now) {
  memset(c, 0, sizeof *c);
  c->m = m;
  c->data = rte_pktmbuf_mtod(m, uint8_t*);
  c->len = m->data_len;
  c->received = m->pkt_len;
  c->now = now;
  c->in_port = (uint8_t)port;
  c->dir = port == IF_ACCESS ? UPLINK : DOWNLINK;
}

static bool neighbour_discovery(const struct pkt_ctx* c) {
  const uint8_t* ip = c->data + c->l3_off;
  if (c->l3_off + IP6_HLEN + 8u > c->len) return false;
  return ip[6] == PROTO_ICMP6 && ip[7] == 255 && ip[IP6_HLEN] == 135;
}

// From frame to the start of the user's packet.
static bool receive(const struct config* config, struct pkt_ctx* c) {
  const struct port_config* port = &config->port[c->in_port];
  uint16_t type = 0;
  if (c->m->nb_segs != 1) return drop(c, DROP_SEGMENTED);
  if (!ethernet_parse(config, c, &type)) return false;
  if (type == ETH_P_ARP) return arp_parse(port, c);
  if (c->in_port == IF_ACCESS) return outer_parse(port, c, type) && gtpu_parse(c);
  if (type == ETH_P_IP6 && neighbour_discovery(c)) return neighbour_parse(port, c);
  return true;
}

static bool parse(struct pkt_ctx* c) {
  if (c->notices & NOTE_END_MARKER) return true; // carries no packet
  return user_packet_parse(c);
}

// Whether the packet has a payload that an application parser could know.
static bool has_application(const struct ip_view* ip) {
  if (ip->proto != PROTO_TCP && ip->proto != PROTO_UDP) return false;
  return ip->has_ports && ip->payload_len > 0 && (!ip->fragment || ip->first_fragment);
}

// The forest's view, and whether it contradicts the parsers': a tunnel in DNS, a shell behind TLS.
static void classify(struct pkt_ctx* c, const struct features* features) {
  static const uint8_t expected[APP_ID_COUNT] = {
      [APP_DNS] = CLASS_CONTROL, [APP_NTP] = CLASS_CONTROL, [APP_DHCP] = CLASS_CONTROL,
      [APP_TLS] = CLASS_WEB,     [APP_HTTP] = CLASS_WEB,    [APP_QUIC] = CLASS_QUIC,
      [APP_SIP] = CLASS_VOICE,   [APP_RTP] = CLASS_VOICE,   [APP_RTCP] = CLASS_VOICE,
      [APP_SMTP] = CLASS_MAIL,   [APP_FTP] = CLASS_FILE,    [APP_FTP_DATA] = CLASS_FILE,
      [APP_SSH] = CLASS_SHELL};
#ifdef UPF_TRAINING
  training_line(c, features);
#endif
  c->class = (uint8_t)forest_classify(features, &c->class_share);
  uint8_t parsed = expected[c->flow.app];
  if (parsed != CLASS_OTHER && c->class != parsed && c->class_share > 192) c->notices |= NOTE_MASQUERADE;
}

static void detect(struct worker* w, struct pkt_ctx* c) {
  const struct ip_view* ip = &c->ip;
  struct app_info info;
  bool parsed = has_application(ip);
  if (parsed) {
    struct app_input in = {.payload = c->data + ip->payload_off,
                           .len = ip->payload_len,
                           .proto = ip->proto,
                           .uplink = c->dir == UPLINK,
                           .sport = ip->sport,
                           .dport = ip->dport};
    app_parse(&in, &info);
  }
  struct features features;
  flow_track(w->flows, w->names, c, parsed ? &info : NULL, &features);
  classify(c, &features);
  if (!c->flow.fresh_app) return;
  struct event* e = event_add(c, EVENT_APP_START);
  if (e && parsed) e->number = info.message;
}

static bool forward(struct worker* w, struct pkt_ctx* c) {
  if (!receive(w->config, c)) return false;
  if (!parse(c)) return false;
  if (!session_lookup(w->config, c)) return false;
  fragment_track(w->fragments, c);
  detect(w, c);
  if (!pdr_match(c)) return false;
  if (!far_decide(w->config, c)) return false;
  if (!qer_police(c)) return false;
  if (!urr_account(c)) return false;
  far_apply(w->config, w->tunnel_seq, c);
  return true;
}

void upf_process(struct worker* w, struct rte_mbuf* m, enum interface port, uint64_t now) {
  struct pkt_ctx c;
  ctx_init(&c, m, port, now);
  if (!forward(w, &c) && c.reply != REPLY_NONE) reply_build(w->config, &w->reply_bucket, &c);
  commit(w, &c);
}
