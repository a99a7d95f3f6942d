#include "report.h"
#include "config.h"
#include "meter.h"
#include <inttypes.h>

#define SECONDS "%" PRIu64 ".%09" PRIu64
#define SPLIT(ns) (ns) / NS_PER_S, (ns) % NS_PER_S

static void write_triggers(FILE* out, uint32_t triggers) {
  static const char* const name[] = {"volume-threshold", "time-threshold", "volume-quota", "time-quota",
                                     "periodic",         "start",          "stop",         "final"};
  const char* separator = "";
  for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++) {
    if (!(triggers >> i & 1)) continue;
    fprintf(out, "%s%s", separator, name[i]);
    separator = ",";
  }
}

void report_write(FILE* out, const struct event* e) {
  uint64_t seid = e->session ? e->session->seid : 0;
  switch (e->kind) {
  case EVENT_USAGE:
    fprintf(out, SECONDS " usage seid=%" PRIu64 " urr=%u seq=%u trigger=", SPLIT(e->time), seid, e->rule,
            e->number);
    write_triggers(out, e->trigger);
    fprintf(out,
            " ul=%" PRIu64 " dl=%" PRIu64 " total=%" PRIu64 " ul-packets=%" PRIu64 " dl-packets=%" PRIu64
            " duration=" SECONDS "\n",
            e->volume[UPLINK], e->volume[DOWNLINK], e->volume[2], e->packets[UPLINK], e->packets[DOWNLINK],
            SPLIT(e->duration));
    break;
  case EVENT_DOWNLINK_DATA:
    fprintf(out, SECONDS " downlink-data seid=%" PRIu64 " far=%u\n", SPLIT(e->time), seid, e->rule);
    break;
  case EVENT_APP_START:
    fprintf(out, SECONDS " application seid=%" PRIu64 " app=%s message=%u\n", SPLIT(e->time), seid,
            app_name((enum app_id)e->app), e->number);
    break;
  default:
    break;
  }
}

static void final_report(FILE* out, struct session* s, const struct urr* u, struct urr_state* st,
                         uint64_t now) {
  if (st->reports == 0 && st->volume[2] == 0) return;
  struct event e = {.kind = EVENT_USAGE,
                    .time = now,
                    .session = s,
                    .rule = u->id,
                    .trigger = TRIG_FINAL,
                    .number = st->reports,
                    .duration = st->last - st->first};
  memcpy(e.volume, st->volume, sizeof e.volume);
  memcpy(e.packets, st->packets, sizeof e.packets);
  report_write(out, &e);
}

void worker_final_reports(struct worker* w, uint64_t now) {
  if (!w->report) return;
  for (uint32_t i = 0; i < w->config->nsessions; i++) {
    struct session* s = &w->config->sessions[i];
    for (unsigned u = 0; u < s->rules->nurrs; u++)
      final_report(w->report, s, &s->rules->urrs[u], &s->urr_state[u], now);
  }
}

const char* drop_reason_name(enum drop_reason reason) {
  static const char* const name[] = {
#define X(id, text) text,
      DROP_REASONS(X)
#undef X
  };
  return (unsigned)reason < DROP_COUNT ? name[reason] : "unknown";
}

static const char* notice_name(unsigned bit) {
  static const char* const name[NOTE_COUNT] = {"ip-options",
                                               "router-alert",
                                               "record-route",
                                               "ip-timestamp",
                                               "fragment-first",
                                               "fragment-later",
                                               "fragment-unknown",
                                               "ip6-extensions",
                                               "esp",
                                               "ah",
                                               "tcp-sack",
                                               "tcp-timestamp",
                                               "tcp-urgent",
                                               "udp-no-checksum",
                                               "sctp-data",
                                               "tunnel",
                                               "reflective-qos",
                                               "padded",
                                               "tcp-out-of-window",
                                               "tcp-retransmit",
                                               "app-malformed",
                                               "remarked",
                                               "end-marker",
                                               "peer-error",
                                               "masquerade",
                                               "mss-clamped"};
  return name[bit];
}

static void sum_counters(struct counters* total, struct worker* const* workers, unsigned nworkers) {
  uint64_t* to = (uint64_t*)total;
  for (unsigned w = 0; w < nworkers; w++) {
    const uint64_t* from = (const uint64_t*)workers[w]->counters;
    for (size_t i = 0; i < sizeof *total / sizeof *to; i++)
      to[i] += from[i];
  }
}

static void write_totals(FILE* out, const struct counters* n) {
  for (unsigned i = 0; i < 2; i++) {
    const struct port_counters* p = &n->port[i];
    fprintf(out,
            "port %s rx-packets %" PRIu64 " rx-bytes %" PRIu64 " tx-packets %" PRIu64 " tx-bytes %" PRIu64
            " dropped %" PRIu64 " replies %" PRIu64 "\n",
            i == IF_ACCESS ? "n3" : "n6", p->rx_packets, p->rx_bytes, p->tx_packets, p->tx_bytes, p->dropped,
            p->replies);
  }
  fprintf(out, "profile in %" PRIu64 " out %" PRIu64 "\n", n->in_profile, n->out_of_profile);
  for (unsigned i = 1; i < DROP_COUNT; i++)
    if (n->drops[i]) fprintf(out, "drop %s %" PRIu64 "\n", drop_reason_name(i), n->drops[i]);
  for (unsigned i = 0; i < NOTE_COUNT; i++)
    if (n->notices[i]) fprintf(out, "seen %s %" PRIu64 "\n", notice_name(i), n->notices[i]);
  for (unsigned i = 0; i < APP_ID_COUNT; i++) {
    const struct app_counters* a = &n->app[i];
    if (a->packets[0] + a->packets[1] == 0) continue;
    fprintf(out,
            "app %s ul-packets %" PRIu64 " ul-bytes %" PRIu64 " dl-packets %" PRIu64 " dl-bytes %" PRIu64
            "\n",
            app_name(i), a->packets[UPLINK], a->bytes[UPLINK], a->packets[DOWNLINK], a->bytes[DOWNLINK]);
  }
}

static void write_classes(FILE* out, const struct counters* n) {
  for (unsigned i = 0; i < CLASS_COUNT; i++) {
    const struct app_counters* a = &n->class[i];
    if (a->packets[0] + a->packets[1] == 0) continue;
    fprintf(out,
            "class %s ul-packets %" PRIu64 " ul-bytes %" PRIu64 " dl-packets %" PRIu64 " dl-bytes %" PRIu64
            "\n",
            traffic_class_name(i), a->packets[UPLINK], a->bytes[UPLINK], a->packets[DOWNLINK],
            a->bytes[DOWNLINK]);
  }
}

static void write_session(FILE* out, const struct session* s) {
  const struct session_counters* sc = s->counters;
  if (sc->packets[0] + sc->packets[1] + sc->dropped[0] + sc->dropped[1] == 0) return;
  fprintf(out,
          "session %" PRIu64 " ul-packets %" PRIu64 " ul-bytes %" PRIu64 " dl-packets %" PRIu64
          " dl-bytes %" PRIu64 " ul-dropped %" PRIu64 " dl-dropped %" PRIu64 " buffered %" PRIu64
          " end-markers %" PRIu64 "\n",
          s->seid, sc->packets[UPLINK], sc->bytes[UPLINK], sc->packets[DOWNLINK], sc->bytes[DOWNLINK],
          sc->dropped[UPLINK], sc->dropped[DOWNLINK], sc->buffered, sc->end_markers);
  for (unsigned i = 0; i < s->rules->npdrs; i++)
    if (s->pdr_state[i].packets)
      fprintf(out, "  pdr %u packets %" PRIu64 " bytes %" PRIu64 "\n", s->rules->pdrs[i].id,
              s->pdr_state[i].packets, s->pdr_state[i].bytes);
  for (unsigned i = 0; i < s->rules->nqers; i++) {
    const struct qer_state* q = &s->qer_state[i];
    if (q->in_profile[0] + q->in_profile[1] + q->dropped[0] + q->dropped[1] == 0) continue;
    fprintf(out,
            "  qer %u ul-in %" PRIu64 " ul-out %" PRIu64 " ul-dropped %" PRIu64 " dl-in %" PRIu64
            " dl-out %" PRIu64 " dl-dropped %" PRIu64 "\n",
            s->rules->qers[i].id, q->in_profile[UPLINK], q->out_of_profile[UPLINK], q->dropped[UPLINK],
            q->in_profile[DOWNLINK], q->out_of_profile[DOWNLINK], q->dropped[DOWNLINK]);
  }
}

void stats_write(FILE* out, struct worker* const* workers, unsigned nworkers, const struct config* config) {
  struct counters total = {0};
  sum_counters(&total, workers, nworkers);
  write_totals(out, &total);
  write_classes(out, &total);
  for (uint32_t i = 0; i < config->nsessions; i++)
    write_session(out, &config->sessions[i]);
}
