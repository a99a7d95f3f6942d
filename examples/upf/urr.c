// Usage measurement and its triggers (TS 29.244 section 5.2.2): volume and time, thresholds, quotas, periods,
// start and stop of traffic. Reports leave as events; they are written after the batch.

#include "phases.h"

struct event* event_add(struct pkt_ctx* c, enum event_kind kind) {
  if (c->nevents == EVENTS_PER_PACKET) return NULL;
  struct event* e = &c->events[c->nevents++];
  memset(e, 0, sizeof *e);
  e->time = c->now;
  e->session = c->session;
  e->kind = (uint8_t)kind;
  e->app = c->flow.app;
  return e;
}

static void report(struct pkt_ctx* c, const struct urr* u, struct urr_state* st, uint32_t trigger) {
  struct event* e = event_add(c, EVENT_USAGE);
  if (!e) return;
  e->rule = u->id;
  e->trigger = trigger;
  e->number = st->reports++;
  memcpy(e->volume, st->volume, sizeof e->volume);
  memcpy(e->packets, st->packets, sizeof e->packets);
  e->duration = st->last - st->first;
  memset(st->volume, 0, sizeof st->volume);
  memset(st->packets, 0, sizeof st->packets);
  st->first = st->last;
  st->started = c->now;
}

// Traffic that pauses for longer than the detection time has stopped; the packet at hand starts it again.
static void start_stop(struct pkt_ctx* c, const struct urr* u, struct urr_state* st) {
  if (st->active && u->stop_after && c->now - st->last > u->stop_after) {
    report(c, u, st, TRIG_STOP);
    st->active = 0;
  }
  if (st->active) return;
  st->active = 1;
  st->first = st->last = c->now;
  if (st->started == 0) st->started = c->now;
  if (u->report_start) report(c, u, st, TRIG_START);
}

static void add_usage(const struct pkt_ctx* c, struct urr_state* st) {
  uint64_t bytes = c->ip.len;
  st->volume[c->dir] += bytes;
  st->volume[2] += bytes;
  st->used[c->dir] += bytes;
  st->used[2] += bytes;
  st->packets[c->dir]++;
  st->time_used += c->now - st->last;
  st->last = c->now;
}

static uint32_t triggers(const struct pkt_ctx* c, const struct urr* u, struct urr_state* st) {
  uint32_t fired = 0;
  for (unsigned i = 0; i < 3; i++) {
    if (u->threshold[i] && st->volume[i] >= u->threshold[i]) fired |= TRIG_VOLUME_THRESHOLD;
    if (u->quota[i] && st->used[i] >= u->quota[i] && !st->exhausted) {
      fired |= TRIG_VOLUME_QUOTA;
    }
  }
  if (u->time_threshold && st->last - st->first >= u->time_threshold) fired |= TRIG_TIME_THRESHOLD;
  if (u->time_quota && st->time_used >= u->time_quota && !st->exhausted) fired |= TRIG_TIME_QUOTA;
  if (u->period && c->now - st->started >= u->period) fired |= TRIG_PERIODIC;
  if (fired & (TRIG_VOLUME_QUOTA | TRIG_TIME_QUOTA)) st->exhausted = 1;
  return fired;
}

bool urr_account(struct pkt_ctx* c) {
  const struct pdr* p = c->pdr;
  const struct urr* urrs = c->session->rules->urrs;
  struct urr_state* states = c->session->urr_state;
  for (unsigned i = 0; i < p->nurrs; i++)
    if (states[p->urr[i]].exhausted) return drop(c, DROP_QUOTA);
  for (unsigned i = 0; i < p->nurrs; i++) {
    const struct urr* u = &urrs[p->urr[i]];
    struct urr_state* st = &states[p->urr[i]];
    start_stop(c, u, st);
    add_usage(c, st);
    uint32_t fired = triggers(c, u, st);
    if (fired) report(c, u, st, fired);
  }
  return true;
}
