// Traffic without a capture: a fixed number of flows at a time, popular and unpopular ones, in bursts.
//
// A slot holds a flow until it has said everything and then begins another. Slots and users are drawn from a
// Zipf-like distribution (the rank is a power of a uniform number), and a drawn slot sends a burst, so
// neighbours in the trace belong together as they do behind a real scheduler. Uniform traffic is the other
// extreme: slots and users are all alike and say one thing at a time, so hardly a packet finds what it needs
// in a cache. Everything comes from one random stream seeded by the caller; nothing depends on the machine.
#include "generate.h"
#include "messages.h"

#include <stdlib.h>
#include <string.h>

enum { MSS = 1380, BURST_MEAN = 4, SYN_SENT = 0, SYN_ACKED, TALK, FIN_SENT, FIN_ACKED };

struct generator {
  struct output* out;
  struct rng rng;
  struct flow* slots;
  bool uniform;
  struct timeval now;
  uint64_t left;
  uint16_t ip_id;
  struct buf segment, packet;
};

// Out of a thousand flows that begin.
static const uint16_t shares[FLOW_KINDS] = {
    [FLOW_DNS] = 300, [FLOW_TLS] = 230, [FLOW_HTTP] = 80,    [FLOW_QUIC] = 120,   [FLOW_SIP] = 40,
    [FLOW_RTP] = 0,   [FLOW_SSH] = 20,  [FLOW_SMTP] = 20,    [FLOW_FTP] = 20,     [FLOW_NTP] = 30,
    [FLOW_DHCP] = 10, [FLOW_STUN] = 20, [FLOW_BULK] = 40,    [FLOW_FTP_DATA] = 0, [FLOW_GAME] = 30,
    [FLOW_PING] = 20, [FLOW_SCTP] = 10, [FLOW_BIG_UDP] = 10,
};
static const uint16_t ports[FLOW_KINDS] = {
    [FLOW_DNS] = 53,    [FLOW_TLS] = 443,   [FLOW_HTTP] = 80,    [FLOW_QUIC] = 443,   [FLOW_SIP] = 5060,
    [FLOW_SSH] = 22,    [FLOW_SMTP] = 25,   [FLOW_FTP] = 21,     [FLOW_NTP] = 123,    [FLOW_DHCP] = 67,
    [FLOW_STUN] = 3478, [FLOW_BULK] = 9999, [FLOW_GAME] = 27015, [FLOW_SCTP] = 36412, [FLOW_BIG_UDP] = 7777,
};

static bool is_tcp(enum flow_kind kind) {
  return kind == FLOW_TLS || kind == FLOW_HTTP || kind == FLOW_SSH || kind == FLOW_SMTP || kind == FLOW_FTP ||
         kind == FLOW_BULK || kind == FLOW_FTP_DATA;
}

// A rank below n, low ones often: the square of a uniform number, weighted once more.
static uint32_t popular(struct rng* r, uint32_t n) {
  uint64_t a = rng_next(r) >> 40, b = rng_next(r) >> 40;
  return (uint32_t)((a * b >> 24) * n >> 24);
}

static uint32_t draw(struct generator* g, uint32_t n) {
  return g->uniform ? rng_below(&g->rng, n) : popular(&g->rng, n);
}

static enum flow_kind draw_kind(struct rng* r) {
  uint32_t at = rng_below(r, 1000);
  int kind = 0;
  while (at >= shares[kind])
    at -= shares[kind++];
  return (enum flow_kind)kind;
}

static void draw_addresses(struct generator* g, struct flow* f) {
  struct user u = user_of(f->user);
  bool v6 = f->kind != FLOW_DHCP && rng_chance(&g->rng, 0.25);
  f->ue = v6 ? u.ue6 : u.ue4;
  memset(&f->remote, 0, sizeof f->remote);
  f->remote.v6 = v6;
  if (v6) {
    set_u32(f->remote.bytes, 0x20010db8);
    set_u32(f->remote.bytes + 4, 0xcafe0000);
    set_u32(f->remote.bytes + 12, f->site * 2 + rng_below(&g->rng, 2));
  } else {
    set_u32(f->remote.bytes, 0xcb007100 + f->site * 2 + rng_below(&g->rng, 2));
  }
}

static void begin_flow(struct generator* g, struct flow* f) {
  static const uint16_t lengths[FLOW_KINDS] = {
      [FLOW_TLS] = 40,   [FLOW_HTTP] = 36, [FLOW_QUIC] = 60, [FLOW_SSH] = 30,  [FLOW_STUN] = 8,
      [FLOW_BULK] = 120, [FLOW_GAME] = 90, [FLOW_PING] = 12, [FLOW_SCTP] = 20, [FLOW_BIG_UDP] = 10};
  struct rng* r = &g->rng;
  memset(f, 0, sizeof *f);
  f->kind = draw_kind(r);
  f->user = draw(g, g->out->ues);
  f->site = popular(r, 64);
  f->id = (uint16_t)(rng_next(r) & 0x3ffe) | (uint16_t)(rng_below(r, 2) && f->kind == FLOW_DNS);
  draw_addresses(g, f);
  f->ue_port = (uint16_t)(32768 + rng_below(r, 28000));
  f->remote_port = ports[f->kind];
  if (f->kind == FLOW_HTTP && f->site % 7 == 3) f->remote_port = 8080;
  if (f->kind == FLOW_NTP) f->ue_port = 123;
  if (f->kind == FLOW_DHCP) f->ue_port = 68;
  f->length = lengths[f->kind] / 4 + rng_below(r, lengths[f->kind] * 2u + 1);
  f->seq[0] = (uint32_t)rng_next(r);
  f->seq[1] = (uint32_t)rng_next(r);
  f->ts = (uint32_t)rng_next(r);
  f->timestamps = rng_chance(r, 0.6);
  f->tos = f->kind == FLOW_SIP ? 0x68 : rng_chance(r, 0.1) ? 0x28 : 0;
}

// A call is followed by its media and a login by its transfer, on the ports that were agreed.
static bool succeed_flow(struct generator* g, struct flow* f) {
  if (f->kind == FLOW_SIP) {
    f->kind = FLOW_RTP;
    f->ue_port = f->id | 0x4000u;
    f->remote_port = (f->id ^ 0x1000u) | 0x4000u;
    f->length = 100 + rng_below(&g->rng, 600);
    f->tos = 0xb8;
  } else if (f->kind == FLOW_FTP) {
    f->kind = FLOW_FTP_DATA;
    f->remote_port = 0x8000u | f->id;
    f->ue_port++;
    f->length = 20 + rng_below(&g->rng, 100);
    f->phase = SYN_SENT;
  } else {
    return false;
  }
  f->step = 0;
  return true;
}

static void write_packet(struct generator* g, const struct flow* f, bool uplink) {
  if (!g->left) return;
  g->left--;
  output_user_packet(g->out, f->user, uplink, g->now, g->packet.data, g->packet.len, true);
}

static struct ip_options draw_ip_options(struct generator* g, const struct flow* f) {
  struct ip_options o = {
      .tos = f->tos, .ttl = 57 + f->site % 8, .id = g->ip_id++, .dont_fragment = is_tcp(f->kind)};
  if (rng_chance(&g->rng, 0.01)) {
    if (f->ue.v6)
      o.extensions = (uint8_t)(1 + rng_below(&g->rng, 3));
    else
      o.router_alert = true;
  }
  return o;
}

static void send_segment(struct generator* g, const struct flow* f, bool uplink, uint8_t proto) {
  const struct address *from = uplink ? &f->ue : &f->remote, *to = uplink ? &f->remote : &f->ue;
  struct ip_options o = draw_ip_options(g, f);
  uint32_t n = g->segment.len;
  if (n <= 1452) {
    g->packet.len = 0;
    put_ip(&g->packet, from, to, proto, &o, g->segment.data, n);
    write_packet(g, f, uplink);
    return;
  }
  o.fragmented = true;
  o.dont_fragment = false;
  for (uint32_t at = 0; at < n; at += 1400) {
    uint32_t part = n - at < 1400 ? n - at : 1400;
    o.offset = (uint16_t)at;
    o.more = at + part < n;
    g->packet.len = 0;
    put_ip(&g->packet, from, to, proto, &o, g->segment.data + at, part);
    write_packet(g, f, uplink);
  }
}

static void send_tcp(struct generator* g, struct flow* f, bool uplink, uint8_t flags, const struct buf* m) {
  const struct address *from = uplink ? &f->ue : &f->remote, *to = uplink ? &f->remote : &f->ue;
  struct tcp_fields t = {.sport = uplink ? f->ue_port : f->remote_port,
                         .dport = uplink ? f->remote_port : f->ue_port,
                         .seq = f->seq[uplink],
                         .ack = f->seq[!uplink],
                         .window = 502,
                         .flags = flags,
                         .timestamps = f->timestamps,
                         .sack = (flags & TCP_SYN) || rng_chance(&g->rng, 0.02),
                         .ts = f->ts++};
  g->segment.len = 0;
  put_tcp(&g->segment, from, to, &t, m ? m->data : NULL, m ? m->len : 0);
  f->seq[uplink] += (m ? m->len : 0) + ((flags & (TCP_SYN | TCP_FIN)) != 0);
  send_segment(g, f, uplink, 6);
}

// A message in as many segments as it needs; every second one is acknowledged.
static void say_tcp(struct generator* g, struct flow* f, bool uplink, const struct buf* m) {
  struct buf part;
  for (uint32_t at = 0; at < m->len; at += MSS) {
    part.len = 0;
    put_bytes(&part, m->data + at, m->len - at < MSS ? m->len - at : MSS);
    send_tcp(g, f, uplink, TCP_ACK | TCP_PSH, &part);
    if (++f->unacked % 2 == 0) send_tcp(g, f, !uplink, TCP_ACK, NULL);
  }
}

// One step of a TCP flow. False when it is over.
static bool step_tcp(struct generator* g, struct flow* f) {
  struct buf m;
  bool uplink = true;
  m.len = 0;
  switch (f->phase) {
  case SYN_SENT:
    send_tcp(g, f, true, TCP_SYN, NULL);
    break;
  case SYN_ACKED:
    send_tcp(g, f, false, TCP_SYN | TCP_ACK, NULL);
    send_tcp(g, f, true, TCP_ACK, NULL);
    break;
  case TALK:
    if (next_message(f, &g->rng, &uplink, &m)) {
      say_tcp(g, f, uplink, &m);
      f->step++;
      return true;
    }
    if (f->site % 9 == 8) { // some end by reset
      send_tcp(g, f, true, TCP_RST, NULL);
      return false;
    }
    break;
  case FIN_SENT:
    send_tcp(g, f, true, TCP_FIN | TCP_ACK, NULL);
    send_tcp(g, f, false, TCP_FIN | TCP_ACK, NULL);
    break;
  case FIN_ACKED:
  default:
    send_tcp(g, f, true, TCP_ACK, NULL);
    return false;
  }
  f->phase++;
  return true;
}

// INIT, its answer without the cookie's meaning, then data and acknowledgements; the checksum is CRC-32C.
static bool step_sctp(struct generator* g, struct flow* f) {
  struct buf* s = &g->segment;
  bool uplink = f->step % 2 == 0;
  s->len = 0;
  put_u16(s, uplink ? f->ue_port : f->remote_port);
  put_u16(s, uplink ? f->remote_port : f->ue_port);
  put_u32(s, f->step == 0 ? 0 : f->seq[0]);
  put_u32(s, 0);
  if (f->step < 2) {
    put_u8(s, f->step + 1);
    put_u8(s, 0);
    put_u16(s, 20);
    put_u32(s, f->seq[1] | 1);
    put_u32(s, 65536);
    put_u32(s, 0x000a000a);
    put_u32(s, f->seq[0]);
  } else if (uplink) {
    uint32_t n = 20 + 4 * rng_below(&g->rng, 100);
    put_u16(s, 0x0003);
    put_u16(s, 16 + n);
    put_u32(s, f->seq[1]++);
    put_u32(s, f->step);
    put_u32(s, 18); // S1AP
    put_random(s, &g->rng, n);
  } else {
    put_u16(s, 0x0300);
    put_u16(s, 16);
    put_u32(s, f->seq[1] - 1);
    put_u32(s, 65536);
    put_u32(s, 0);
  }
  uint32_t crc = sctp_checksum(s->data, s->len);
  for (int i = 0; i < 4; i++)
    s->data[8 + i] = (uint8_t)(crc >> (8 * i));
  send_segment(g, f, uplink, 132);
  return f->step++ < f->length;
}

static bool step_ping(struct generator* g, struct flow* f) {
  bool uplink = f->step % 2 == 0;
  const struct address *from = uplink ? &f->ue : &f->remote, *to = uplink ? &f->remote : &f->ue;
  g->segment.len = 0;
  put_icmp_echo(&g->segment, from, to, !uplink, f->id, (uint16_t)(f->step / 2),
                f->site % 11 == 10 ? 1400 : 56);
  send_segment(g, f, uplink, f->ue.v6 ? 58 : 1);
  return f->step++ < f->length;
}

static bool step_udp(struct generator* g, struct flow* f) {
  struct buf m;
  bool uplink = true;
  m.len = 0;
  uint16_t report = f->kind == FLOW_RTP && f->step % 64 == 62; // RTCP has the next port
  if (!next_message(f, &g->rng, &uplink, &m)) return false;
  const struct address *from = uplink ? &f->ue : &f->remote, *to = uplink ? &f->remote : &f->ue;
  uint16_t ue_port = f->ue_port + report, remote_port = f->remote_port + report;
  g->segment.len = 0;
  put_udp(&g->segment, from, to, uplink ? ue_port : remote_port, uplink ? remote_port : ue_port, m.data,
          m.len);
  send_segment(g, f, uplink, 17);
  f->step++;
  return true;
}

static void step_flow(struct generator* g, struct flow* f) {
  bool more;
  if (is_tcp(f->kind))
    more = step_tcp(g, f);
  else if (f->kind == FLOW_SCTP)
    more = step_sctp(g, f);
  else if (f->kind == FLOW_PING)
    more = step_ping(g, f);
  else
    more = step_udp(g, f);
  if (!more && !succeed_flow(g, f)) begin_flow(g, f);
}

static void say(struct generator* g, struct flow* f) {
  step_flow(g, f);
  g->now.tv_usec += 1 + rng_below(&g->rng, 20);
  if (g->now.tv_usec >= 1000000) g->now.tv_sec++, g->now.tv_usec -= 1000000;
}

bool generate(struct output* o, const struct traffic* t) {
  struct generator g = {.out = o,
                        .rng = {t->seed},
                        .slots = calloc(t->flows, sizeof *g.slots),
                        .uniform = t->uniform,
                        .now = {.tv_sec = 1700000000},
                        .left = t->packets};
  if (!g.slots) {
    fprintf(stderr, "upf-workload: no memory for %u flows\n", t->flows);
    return false;
  }
  for (uint32_t i = 0; i < t->flows; i++)
    begin_flow(&g, &g.slots[i]);
  while (g.left) {
    struct flow* f = &g.slots[draw(&g, t->flows)];
    uint32_t burst = g.uniform ? 1 : 1 + rng_below(&g.rng, 2 * BURST_MEAN);
    while (burst-- && g.left)
      say(&g, f);
  }
  free(g.slots);
  return true;
}
