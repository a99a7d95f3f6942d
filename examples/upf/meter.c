#include "meter.h"

enum { FIN = 1, SYN = 2, ACK = 16, SMALL = 64, LARGE = 1200 };

// RFC 6298 section 2, in the integers of Jacobson's paper.
static void rate_add(struct rate* r, int32_t sample) {
  if (r->mean == 0 && r->deviation == 0) {
    r->mean = sample * 8;
    r->deviation = sample * 2;
    return;
  }
  int32_t error = sample - r->mean / 8;
  r->mean += error;
  if (error < 0) error = -error;
  r->deviation += error - r->deviation / 4;
}

static uint32_t microseconds(uint64_t ns) {
  return ns > 2000000000000ull ? 2000000000u : (uint32_t)(ns / 1000);
}

static void meter_lengths(struct meter_side* s, const struct ip_view* ip) {
  s->packets += s->packets < INT32_MAX;
  s->octets = s->octets > INT32_MAX - ip->len ? INT32_MAX : s->octets + ip->len;
  if (s->packets == 1 || ip->len < s->min_len) s->min_len = ip->len;
  if (ip->len > s->max_len) s->max_len = ip->len;
  if (s->packets == 1 || ip->ttl < s->min_ttl) s->min_ttl = ip->ttl;
  if (ip->ttl > s->max_ttl) s->max_ttl = ip->ttl;
  s->tos |= ip->tos;
  s->flags |= ip->tcp_flags;
  if (ip->payload_len > 0 && ip->payload_len <= SMALL) s->small++;
  if (ip->payload_len > LARGE) s->large++;
  rate_add(&s->len, ip->len);
}

static void meter_gaps(struct meter* m, struct meter_side* s, const struct pkt_ctx* c) {
  uint64_t before = m->side[0].last > m->side[1].last ? m->side[0].last : m->side[1].last;
  if (before != 0) {
    uint32_t gap = microseconds(c->now - before);
    if (m->min_gap == 0 || gap < m->min_gap) m->min_gap = gap;
    if (gap > m->max_gap) m->max_gap = gap;
  } else {
    m->first = c->now;
  }
  if (s->last != 0) rate_add(&s->gap, (int32_t)(microseconds(c->now - s->last) / 16));
  s->last = c->now;
}

static void meter_payload(struct meter* m, const struct pkt_ctx* c) {
  const struct ip_view* ip = &c->ip;
  if (ip->payload_len == 0) return;
  if (m->nsizes == 0) {
    uint32_t n = ip->payload_len < sizeof m->lead ? ip->payload_len : sizeof m->lead;
    memcpy(m->lead, c->data + ip->payload_off, n);
  }
  if (m->nsizes < 6) {
    int16_t size = ip->payload_len > INT16_MAX ? INT16_MAX : (int16_t)ip->payload_len;
    m->sizes[m->nsizes++] = c->dir == UPLINK ? size : (int16_t)-size;
  }
  if (m->nsizes > 1 && m->last_dir != c->dir && m->turns < UINT8_MAX) m->turns++;
  m->last_dir = c->dir;
}

// Times the segment in flight, and counts what speaks of trouble: duplicate acknowledgements (RFC 5681
// section 2), closed windows, segments out of order.
static void meter_tcp(struct meter* m, const struct pkt_ctx* c) {
  const struct ip_view* ip = &c->ip;
  struct meter_side* from = &m->side[c->dir];
  struct meter_side* to = &m->side[!c->dir];
  uint32_t span = ip->payload_len + ((ip->tcp_flags & SYN) != 0) + ((ip->tcp_flags & FIN) != 0);
  uint32_t end = ip->tcp_seq + span;
  bool first = from->packets == 1;
  if (span > 0) {
    bool fresh = first || (int32_t)(end - from->max_end) > 0;
    if (!first && (int32_t)(ip->tcp_seq - from->max_end) > 0) from->reordered += from->reordered < UINT16_MAX;
    if (fresh) from->max_end = end;
    if (from->timing && !fresh) from->timing = false; // Karn: a retransmission spoils the sample
    if (fresh && !from->timing) {
      from->timing = true;
      from->timed_end = end;
      from->timed_at = c->now;
    }
  }
  if (!(ip->tcp_flags & ACK)) return;
  if (to->timing && (int32_t)(ip->tcp_ack - to->timed_end) >= 0) {
    rate_add(&m->rtt[c->dir], (int32_t)(microseconds(c->now - to->timed_at) / 16));
    to->timing = false;
  }
  if (!first && span == 0 && ip->tcp_ack == from->last_ack)
    from->duplicate_acks += from->duplicate_acks < UINT16_MAX;
  if (ip->tcp_window == 0) from->zero_windows += from->zero_windows < UINT16_MAX;
  from->last_ack = ip->tcp_ack;
}

static int32_t share(uint32_t part, uint32_t whole) {
  return whole ? (int32_t)((uint64_t)part * 256 / whole) : 0;
}

static void side_features(const struct meter_side* s, int32_t* v) {
  v[0] = (int32_t)s->packets;
  v[1] = (int32_t)s->octets;
  v[2] = s->min_len;
  v[3] = s->max_len;
  v[4] = s->len.mean / 8;
  v[5] = s->len.deviation / 4;
  v[6] = s->gap.mean;
  v[7] = s->gap.deviation;
  v[8] = share(s->small, s->packets);
  v[9] = share(s->large, s->packets);
  v[10] = s->flags;
}

// How the octets at the payload's start spread: text, structure and noise differ in how many distinct
// nibbles, bits and printable octets they have.
static void payload_features(const struct pkt_ctx* c, int32_t* v) {
  const uint8_t* p = c->data + c->ip.payload_off;
  uint32_t n = c->ip.payload_len < 16 ? c->ip.payload_len : 16;
  uint32_t high = 0, low = 0;
  int32_t printable = 0, bits = 0;
  for (uint32_t i = 0; i < n; i++) {
    high |= 1u << (p[i] >> 4);
    low |= 1u << (p[i] & 15);
    printable += p[i] >= 32 && p[i] < 127;
    bits += __builtin_popcount(p[i]);
  }
  v[0] = __builtin_popcount(high);
  v[1] = __builtin_popcount(low);
  v[2] = printable;
  v[3] = bits;
}

void meter_packet(struct meter* m, const struct pkt_ctx* c, struct features* out) {
  const struct ip_view* ip = &c->ip;
  struct meter_side* s = &m->side[c->dir];
  int32_t* v = out->value;
  meter_lengths(s, ip);
  meter_gaps(m, s, c);
  meter_payload(m, c);
  if (ip->proto == PROTO_TCP && ip->has_ports && !(ip->fragment && !ip->first_fragment)) meter_tcp(m, c);
  side_features(&m->side[0], v);
  side_features(&m->side[1], v + 11);
  for (unsigned i = 0; i < 6; i++)
    v[22 + i] = m->sizes[i];
  v[28] = m->turns;
  v[29] = (int32_t)m->min_gap;
  v[30] = (int32_t)m->max_gap;
  v[31] = c->dir == UPLINK ? ip->dport : ip->sport;
  v[32] = c->dir == UPLINK ? ip->sport : ip->dport;
  v[33] = ip->proto;
  v[34] = ip->payload_len;
  v[35] = m->lead[0];
  payload_features(c, v + 36);
}

static const char* const class_names[CLASS_COUNT] = {"other", "control", "web",  "quic",
                                                     "voice", "mail",    "file", "shell"};

const char* traffic_class_name(enum traffic_class class) {
  return class < CLASS_COUNT ? class_names[class] : "none";
}

enum traffic_class traffic_class_by_name(const char* name) {
  unsigned i = 0;
  while (i < CLASS_COUNT && strcmp(class_names[i], name) != 0)
    i++;
  return (enum traffic_class)i;
}
