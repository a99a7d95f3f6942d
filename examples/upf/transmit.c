// Frames are queued per port during the batch and handed over in bursts. A session's held frames sit in a
// ring of its own, made when first needed; a common limit protects the buffer pool.

#include "transmit.h"
#include "config.h"
#include <rte_ethdev.h>
#include <stdlib.h>

enum { QUEUE = 256, HELD_MAX = 1024 };

static const uint64_t awake_time = 10ull * NS_PER_S;

struct held {
  struct rte_mbuf* frame[SESSION_BUFFER];
  uint8_t port[SESSION_BUFFER];
  unsigned count;
};

struct port_queue {
  struct rte_mbuf* frame[QUEUE];
  unsigned count;
  uint16_t port, queue;
  bool attached;
  FILE* record;
};

struct transmit {
  struct port_queue port[2];
  struct held** held; // by session, NULL where nothing was ever held
  uint64_t* heard;    // by session: when an uplink packet was last forwarded
  uint32_t nsessions, total_held;
  uint64_t refused[2];
};

struct transmit* transmit_create(const struct config* config) {
  struct transmit* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->nsessions = config->nsessions;
  t->held = calloc((size_t)config->nsessions + 1, sizeof *t->held);
  t->heard = calloc((size_t)config->nsessions + 1, sizeof *t->heard);
  if (t->held && t->heard) return t;
  transmit_free(t);
  return NULL;
}

bool transmit_free(struct transmit* t) {
  if (!t) return true;
  bool ok = true;
  for (uint32_t i = 0; t->held && i < t->nsessions; i++) {
    for (unsigned k = 0; t->held[i] && k < t->held[i]->count; k++)
      rte_pktmbuf_free(t->held[i]->frame[k]);
    free(t->held[i]);
  }
  for (unsigned i = 0; i < 2; i++)
    if (t->port[i].record && (ferror(t->port[i].record) | fclose(t->port[i].record)) != 0) ok = false;
  free(t->held);
  free(t->heard);
  free(t);
  return ok;
}

void transmit_attach(struct transmit* t, enum interface which, uint16_t port, uint16_t queue) {
  t->port[which].port = port;
  t->port[which].queue = queue;
  t->port[which].attached = true;
}

bool transmit_record(struct transmit* t, enum interface which, const char* path) {
  // pcap with nanosecond time stamps, snapshot length 65535, Ethernet.
  static const uint32_t header[6] = {0xa1b23c4d, 2 | 4 << 16, 0, 0, 65535, 1};
  FILE* f = fopen(path, "wb");
  if (!f) return false;
  if (fwrite(header, sizeof header, 1, f) != 1) {
    fclose(f);
    return false;
  }
  t->port[which].record = f;
  return true;
}

static void record(FILE* f, const struct rte_mbuf* m, uint64_t time) {
  uint32_t header[4] = {(uint32_t)(time / NS_PER_S), (uint32_t)(time % NS_PER_S), m->pkt_len, m->pkt_len};
  fwrite(header, sizeof header, 1, f);
  fwrite(rte_pktmbuf_mtod(m, const void*), m->data_len, 1, f);
}

static void send_queue(struct port_queue* q, uint64_t* refused) {
  unsigned sent = 0;
  if (q->attached) sent = rte_eth_tx_burst(q->port, q->queue, q->frame, (uint16_t)q->count);
  if (q->attached) *refused += q->count - sent;
  if (sent < q->count) rte_pktmbuf_free_bulk(q->frame + sent, q->count - sent);
  q->count = 0;
}

void transmit_frame(struct transmit* t, enum interface which, struct rte_mbuf* m, uint64_t time) {
  struct port_queue* q = &t->port[which];
  if (q->record) record(q->record, m, time);
  q->frame[q->count++] = m;
  if (q->count == QUEUE) send_queue(q, &t->refused[which]);
}

bool transmit_holding(const struct transmit* t, const struct session* s) {
  return t->held[s->index] && t->held[s->index]->count > 0;
}

bool transmit_hold(struct transmit* t, struct session* s, enum interface which, struct rte_mbuf* m) {
  struct held* h = t->held[s->index];
  if (!h) h = t->held[s->index] = calloc(1, sizeof *h);
  if (!h || h->count == SESSION_BUFFER || t->total_held == HELD_MAX) return false;
  h->port[h->count] = (uint8_t)which;
  h->frame[h->count++] = m;
  t->total_held++;
  return true;
}

bool transmit_awake(const struct transmit* t, const struct session* s, uint64_t time) {
  uint64_t heard = t->heard[s->index];
  return heard != 0 && time - heard < awake_time;
}

void transmit_release(struct transmit* t, struct session* s, uint64_t time) {
  t->heard[s->index] = time;
  struct held* h = t->held[s->index];
  if (!h) return;
  for (unsigned i = 0; i < h->count; i++)
    transmit_frame(t, h->port[i], h->frame[i], time);
  t->total_held -= h->count;
  h->count = 0;
}

void transmit_flush(struct transmit* t, struct counters* n) {
  for (unsigned i = 0; i < 2; i++) {
    if (t->port[i].count) send_queue(&t->port[i], &t->refused[i]);
    n->drops[DROP_TX_FULL] += t->refused[i];
    t->refused[i] = 0;
  }
}
