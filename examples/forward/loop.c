#include "loop.h"
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <signal.h>

static volatile sig_atomic_t stopping;

void loop_stop(void) {
  stopping = 1;
}

static unsigned poll_port(struct loop* l, uint16_t port) {
  struct rte_mbuf* frame[BURST];
  uint16_t out[BURST];
  uint64_t start = rte_rdtsc();
  uint16_t n = rte_eth_rx_burst(port, 0, frame, BURST);
  if (n == 0) return 0;
  uint64_t received = rte_rdtsc();
  for (uint16_t i = 0; i < n; i++)
    out[i] = app_process(l->app, frame[i], port, l->counts);
  uint64_t processed = rte_rdtsc();
  l->body_cycles += processed - received;
  record_batch(l->record, frame, out, n, port);
  uint64_t recorded = rte_rdtsc();
  transmit_batch(l->transmit, frame, out, n, port);
  l->cycles += rte_rdtsc() - recorded + (processed - start);
  l->packets += n;
  return n;
}

void loop_run(struct loop* l) {
  const struct options* o = l->options;
  uint64_t idle = 0;
  while (!stopping) {
    if (l->feed && !feed_next(l->feed)) break;
    unsigned n = 0;
    for (uint16_t p = 0; p < o->ports; p++)
      n += poll_port(l, p);
    if (l->feed) feed_drain(l->feed);
    idle = n ? 0 : idle + 1;
    if (o->idle && idle >= o->idle) break;
    if (o->packets && l->packets >= o->packets) break;
  }
}
