// QoS enforcement (TS 29.244 section 5.4): gates, maximum and guaranteed bit rates, packet rates.
//
// Each rate is a token bucket in the form of the generic cell rate algorithm: one number, the time at which
// the bucket would be full again. A packet of cost T conforms if that time is at most the tolerance ahead of
// now; then it moves on by T. All buckets are asked first and charged together afterwards, so that a packet
// which one of them refuses costs the others nothing.

#include "phases.h"

enum { PACKET_BURST_NS = 20000000 };

static uint64_t cost_ns(uint32_t bytes, uint64_t bits_per_s) {
  return bytes * 8ull * NS_PER_S / bits_per_s;
}

static bool conforms(const struct bucket* b, uint64_t now, uint64_t tolerance) {
  return b->tat <= now + tolerance;
}

static void charge(struct bucket* b, uint64_t now, uint64_t cost) {
  b->tat = (b->tat > now ? b->tat : now) + cost;
}

static enum drop_reason ask(const struct qer* q, const struct qer_state* st, const struct pkt_ctx* c) {
  uint8_t dir = c->dir;
  if (!q->gate_open[dir]) return DROP_GATE;
  if (q->mbr[dir] && !conforms(&st->mbr[dir], c->now, q->burst_ms * 1000000ull))
    return q->session_level ? DROP_RATE_SESSION : DROP_RATE_FLOW;
  if (q->pps[dir] && !conforms(&st->pps[dir], c->now, PACKET_BURST_NS)) return DROP_RATE_PACKETS;
  return DROP_NONE;
}

// Returns whether the packet is within the guaranteed rate, if there is one.
static bool take(const struct qer* q, struct qer_state* st, const struct pkt_ctx* c) {
  uint8_t dir = c->dir;
  uint32_t bytes = c->ip.len;
  if (q->mbr[dir]) charge(&st->mbr[dir], c->now, cost_ns(bytes, q->mbr[dir]));
  if (q->pps[dir]) charge(&st->pps[dir], c->now, NS_PER_S / q->pps[dir]);
  bool in_profile = true;
  if (q->gbr[dir]) {
    in_profile = conforms(&st->gbr[dir], c->now, q->burst_ms * 1000000ull);
    if (in_profile) charge(&st->gbr[dir], c->now, cost_ns(bytes, q->gbr[dir]));
  }
  if (in_profile)
    st->in_profile[dir] += bytes;
  else
    st->out_of_profile[dir] += bytes;
  return in_profile;
}

bool qer_police(struct pkt_ctx* c) {
  const struct pdr* p = c->pdr;
  const struct qer* qers = c->session->rules->qers;
  struct qer_state* states = c->session->qer_state;
  enum drop_reason reason = DROP_NONE;
  c->in_profile = true;
  for (unsigned i = 0; i < p->nqers && reason == DROP_NONE; i++) {
    reason = ask(&qers[p->qer[i]], &states[p->qer[i]], c);
    if (reason != DROP_NONE) states[p->qer[i]].dropped[c->dir] += c->ip.len;
  }
  if (reason != DROP_NONE) return drop(c, reason);
  for (unsigned i = 0; i < p->nqers; i++)
    if (!take(&qers[p->qer[i]], &states[p->qer[i]], c)) c->in_profile = false;
  return true;
}
