// A worker's memory, and what follows a batch: transmission, buffering, reports.

#include "checksum.h"
#include "phases.h"
#include "report.h"
#include "transmit.h"
#include <rte_mbuf.h>
#include <stdlib.h>

struct worker* worker_create(const struct config* config, FILE* report) {
  crc32c_init();
  struct worker* w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->config = config;
  w->report = report;
  w->fragments = fragment_table_create();
  w->flows = flow_table_create();
  w->names = name_table_create();
  w->counters = calloc(1, sizeof *w->counters);
  w->tunnel_seq = calloc((size_t)config->nsessions + 1, sizeof *w->tunnel_seq);
  w->events = calloc(sizeof w->out / sizeof w->out[0] * EVENTS_PER_PACKET, sizeof *w->events);
  w->tx = transmit_create(config);
  if (w->fragments && w->flows && w->names && w->counters && w->tunnel_seq && w->events && w->tx) return w;
  worker_free(w);
  return NULL;
}

bool worker_free(struct worker* w) {
  if (!w) return true;
  free(w->fragments);
  free(w->flows);
  free(w->names);
  free(w->counters);
  free(w->tunnel_seq);
  free(w->events);
  bool ok = transmit_free(w->tx);
  free(w);
  return ok;
}

// The copy of a frame that a duplicating FAR asks for goes to the other port as it is.
static void send_copy(struct worker* w, const struct outcome* o) {
  struct rte_mbuf* copy = rte_pktmbuf_copy(o->m, o->m->pool, 0, UINT32_MAX);
  if (copy)
    transmit_frame(w->tx, !o->port, copy, o->time);
  else
    w->counters->drops[DROP_TX_FULL]++;
}

static void downlink_data_report(struct worker* w, const struct outcome* o) {
  struct event e = {.kind = EVENT_DOWNLINK_DATA, .time = o->time, .session = o->session, .rule = o->far->id};
  if (w->report) report_write(w->report, &e);
}

static void buffer(struct worker* w, const struct outcome* o) {
  if (transmit_awake(w->tx, o->session, o->time)) {
    transmit_frame(w->tx, o->port, o->m, o->time);
    w->counters->port[o->port].tx_packets++;
    w->counters->port[o->port].tx_bytes += o->m->pkt_len;
    return;
  }
  if ((o->far->actions & FAR_NOTIFY) && !transmit_holding(w->tx, o->session)) downlink_data_report(w, o);
  if (transmit_hold(w->tx, o->session, o->port, o->m)) return;
  w->counters->drops[DROP_BUFFER_FULL]++;
  rte_pktmbuf_free(o->m);
}

static void carry_out(struct worker* w, const struct outcome* o) {
  switch (o->action) {
  case VERDICT_FORWARD:
    if (o->dir == UPLINK) transmit_release(w->tx, o->session, o->time);
    if (o->duplicate) send_copy(w, o);
    // fallthrough
  case VERDICT_REPLY:
    w->counters->port[o->port].tx_packets++;
    w->counters->port[o->port].tx_bytes += o->m->pkt_len;
    transmit_frame(w->tx, o->port, o->m, o->time);
    break;
  case VERDICT_BUFFER:
    buffer(w, o);
    break;
  default:
    rte_pktmbuf_free(o->m);
    break;
  }
}

void worker_finish_batch(struct worker* w) {
  for (unsigned i = 0; i < w->nout; i++)
    carry_out(w, &w->out[i]);
  w->nout = 0;
  for (unsigned i = 0; w->report && i < w->nevents; i++)
    report_write(w->report, &w->events[i]);
  w->nevents = 0;
  transmit_flush(w->tx, w->counters);
}
