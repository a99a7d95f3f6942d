// The end of the path: everything that only counts or queues.

#include "phases.h"

static void count_notices(struct counters* n, uint32_t notices) {
  while (notices) {
    unsigned bit = (unsigned)__builtin_ctz(notices);
    n->notices[bit]++;
    notices &= notices - 1;
  }
}

static void count_session(const struct pkt_ctx* c) {
  struct session_counters* sc = c->session->counters;
  if (c->notices & NOTE_END_MARKER) sc->end_markers++;
  if (c->verdict == VERDICT_DROP || c->verdict == VERDICT_REPLY) {
    sc->dropped[c->dir]++;
    return;
  }
  if (c->verdict == VERDICT_BUFFER) sc->buffered++;
  sc->packets[c->dir]++;
  sc->bytes[c->dir] += c->ip.len;
  struct pdr_state* ps = &c->session->pdr_state[c->pdr - c->session->rules->pdrs];
  ps->packets++;
  ps->bytes += c->ip.len;
}

static void count(struct counters* n, const struct pkt_ctx* c, uint32_t received) {
  struct port_counters* in = &n->port[c->in_port];
  in->rx_packets++;
  in->rx_bytes += received;
  count_notices(n, c->notices);
  if (c->session) count_session(c);
  if (c->reason != DROP_NONE) {
    n->drops[c->reason]++;
    in->dropped++;
  }
  if (c->verdict == VERDICT_REPLY) n->port[c->out_port].replies++;
  if (c->verdict != VERDICT_FORWARD && c->verdict != VERDICT_BUFFER) return;
  struct app_counters* app = &n->app[c->flow.app];
  app->packets[c->dir]++;
  app->bytes[c->dir] += c->ip.len;
  struct app_counters* class = &n->class[c->class];
  class->packets[c->dir]++;
  class->bytes[c->dir] += c->ip.len;
  if (c->in_profile)
    n->in_profile++;
  else
    n->out_of_profile++;
}

void commit(struct worker* w, struct pkt_ctx* c) {
  count(w->counters, c, c->received);
  for (unsigned i = 0; i < c->nevents; i++)
    w->events[w->nevents++] = c->events[i];
  struct outcome* o = &w->out[w->nout++];
  o->m = c->m;
  o->session = c->session;
  o->far = c->far;
  o->action = c->verdict;
  o->port = c->out_port;
  o->dir = c->dir;
  o->duplicate = c->duplicate;
  o->time = c->now;
}
