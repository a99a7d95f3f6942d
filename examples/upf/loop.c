// The packet loop. Its time is measured from reception to transmission, feeding excluded.

#include "run.h"
#include "transmit.h"
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf_dyn.h>
#include <signal.h>

static volatile sig_atomic_t stopping;

void run_stop(void) {
  stopping = 1;
}

// Where packets get their time from.
struct tick {
  uint64_t base, step;
  int stamp_offset; // of the time stamp in the mbuf; below 0: none
};

static uint64_t packet_time(const struct tick* t, const struct rte_mbuf* m, unsigned i) {
  if (t->stamp_offset >= 0) return *RTE_MBUF_DYNFIELD(m, t->stamp_offset, const uint64_t*);
  return t->base + i * t->step;
}

static struct tick tick_start(struct lane* l) {
  struct tick t = {.base = l->now, .step = l->options->interval, .stamp_offset = -1};
  if (l->options->clock == CLOCK_TSC) {
    t.base = (uint64_t)((double)rte_rdtsc() * 1e9 / (double)rte_get_tsc_hz());
    t.step = 0;
  } else if (l->options->clock == CLOCK_PCAP) {
    t.stamp_offset = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, NULL);
  }
  return t;
}

static unsigned poll_port(struct lane* l, enum interface which) {
  struct rte_mbuf* frame[BURST];
  struct tick tick = tick_start(l);
  if (l->arrivals) arrivals_start(l->arrivals);
  uint64_t start = rte_rdtsc();
  uint16_t n = rte_eth_rx_burst(l->port[which], 0, frame, BURST);
  if (n == 0) return 0;
  for (uint16_t i = 0; i < n; i++)
    upf_process(l->worker, frame[i], which, packet_time(&tick, frame[i], i));
  l->now = packet_time(&tick, frame[n - 1], n - 1u) + tick.step;
  worker_finish_batch(l->worker);
  l->cycles += rte_rdtsc() - start;
  l->packets += n;
  if (l->arrivals) arrivals_done(l->arrivals, which, n);
  return n;
}

int run_lane(void* lane) {
  struct lane* l = lane;
  const struct options* o = l->options;
  uint64_t idle = 0;
  while (!stopping) {
    if (l->feed && !feed_next(l->feed, l->arrivals)) break;
    unsigned n = poll_port(l, IF_ACCESS) + poll_port(l, IF_CORE);
    if (l->feed) feed_drain(l->feed);
    idle = n ? 0 : idle + 1;
    if (o->idle && idle >= o->idle) break;
    if (o->packets && l->packets >= o->packets) break;
  }
  return 0;
}
