// Each port has a queue that a batch fills and empties. Frames that a port does not take are dropped and counted.

#include "transmit.h"
#include <inttypes.h>
#include <rte_ethdev.h>
#include <stdlib.h>

struct queue {
  struct rte_mbuf* frame[BURST];
  unsigned count;
  uint64_t sent, refused;
};

struct transmit {
  uint16_t ports;
  struct queue queue[MOST_PORTS];
};

struct transmit* transmit_create(uint16_t ports) {
  struct transmit* t = calloc(1, sizeof *t);
  if (t) t->ports = ports;
  return t;
}

void transmit_free(struct transmit* t) {
  free(t);
}

// All ports send the same buffer: the last one to be done with it frees it.
static void flood(struct transmit* t, struct rte_mbuf* m, uint16_t from) {
  if (t->ports == 1) {
    rte_pktmbuf_free(m);
    return;
  }
  rte_pktmbuf_refcnt_update(m, (int16_t)(t->ports - 2));
  for (uint16_t p = 0; p < t->ports; p++)
    if (p != from) t->queue[p].frame[t->queue[p].count++] = m;
}

static void flush(struct queue* q, uint16_t port) {
  uint16_t sent = rte_eth_tx_burst(port, 0, q->frame, (uint16_t)q->count);
  if (sent < q->count) rte_pktmbuf_free_bulk(q->frame + sent, q->count - sent);
  q->sent += sent;
  q->refused += q->count - sent;
  q->count = 0;
}

void transmit_batch(struct transmit* t, struct rte_mbuf** frame, const uint16_t* out, unsigned count,
                    uint16_t from) {
  for (unsigned i = 0; i < count; i++) {
    if (out[i] == DROP) {
      rte_pktmbuf_free(frame[i]);
    } else if (out[i] == FLOOD) {
      flood(t, frame[i], from);
    } else {
      struct queue* q = &t->queue[out[i]];
      q->frame[q->count++] = frame[i];
    }
  }
  for (uint16_t p = 0; p < t->ports; p++)
    if (t->queue[p].count) flush(&t->queue[p], p);
}

void transmit_print(const struct transmit* t, FILE* f) {
  for (unsigned p = 0; p < t->ports; p++)
    fprintf(f, "port %u: sent %" PRIu64 ", refused %" PRIu64 "\n", p, t->queue[p].sent, t->queue[p].refused);
}
