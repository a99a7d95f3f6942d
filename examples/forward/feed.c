#include "feed.h"
#include <rte_eth_ring.h>
#include <rte_ring.h>
#include <stdlib.h>

enum { RING = 1024 };

struct feed {
  const struct options* options;
  struct rte_mempool* pool;
  struct traffic traffic;
  uint64_t left;
  uint16_t ports;
  struct rte_ring *rx[MOST_PORTS], *tx[MOST_PORTS];
};

static bool make_port(struct feed* f, unsigned port) {
  char name[32];
  snprintf(name, sizeof name, "feed%u_rx", port);
  f->rx[port] = rte_ring_create(name, RING, 0, RING_F_SP_ENQ | RING_F_SC_DEQ);
  snprintf(name, sizeof name, "feed%u_tx", port);
  f->tx[port] = rte_ring_create(name, RING, 0, RING_F_SP_ENQ | RING_F_SC_DEQ);
  snprintf(name, sizeof name, "feed%u", port);
  return f->rx[port] && f->tx[port] &&
         rte_eth_from_rings(name, &f->rx[port], 1, &f->tx[port], 1, 0) == (int)port;
}

struct feed* feed_create(const struct options* options, struct rte_mempool* pool) {
  struct feed* f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->options = options;
  f->pool = pool;
  f->traffic.random.state = mix(options->seed + 1);
  f->traffic.draw = draw_create(options->entries, options->zipf);
  f->left = options->packets;
  f->ports = options->ports;
  for (unsigned p = 0; p < f->ports; p++)
    if (!make_port(f, p)) {
      failed("no ring port %u", p);
      feed_free(f);
      return NULL;
    }
  return f;
}

void feed_free(struct feed* f) {
  free(f);
}

static void feed_port(struct feed* f, uint16_t port) {
  struct rte_mbuf* burst[BURST];
  unsigned n = f->left < BURST ? (unsigned)f->left : BURST;
  if (n == 0 || rte_pktmbuf_alloc_bulk(f->pool, burst, n) != 0) return;
  for (unsigned i = 0; i < n; i++) {
    unsigned length = app_generate(f->options, &f->traffic, port, rte_pktmbuf_mtod(burst[i], uint8_t*));
    rte_pktmbuf_append(burst[i], (uint16_t)length);
  }
  f->left -= n;
  unsigned queued = rte_ring_enqueue_burst(f->rx[port], (void* const*)burst, n, NULL);
  if (queued < n) rte_pktmbuf_free_bulk(burst + queued, n - queued);
}

bool feed_next(struct feed* f) {
  if (f->left == 0) return false;
  for (uint16_t p = 0; p < f->ports; p++)
    feed_port(f, p);
  return true;
}

void feed_drain(struct feed* f) {
  struct rte_mbuf* burst[BURST];
  for (unsigned p = 0; p < f->ports; p++) {
    unsigned n;
    while ((n = rte_ring_dequeue_burst(f->tx[p], (void**)burst, BURST, NULL)) > 0)
      rte_pktmbuf_free_bulk(burst, n);
  }
}
