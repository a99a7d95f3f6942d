// Command line, ports, start and end. Usage: README.md.

#include "config.h"
#include "run.h"
#include "transmit.h"
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MAX_WORKERS = 16, DESCRIPTORS = 512 };

static const char usage[] =
    "usage: upf EAL-OPTIONS -- --sessions FILE [--report FILE] [--stats FILE] [--n3 PORT] [--n6 PORT]\n"
    "           [--clock packet|tsc|pcap] [--interval NS] [--packets N] [--idle POLLS] [--workers N]\n"
    "           [--record-n3 FILE] [--record-n6 FILE] [--mbufs N] [--mbuf-size OCTETS] [--timing]\n"
    "           [--preload-n3 FILE] [--preload-n6 FILE] [--loops N] [--rate PPS]\n";

__attribute__((format(printf, 1, 2))) static int failed(const char* format, ...) {
  va_list args;
  va_start(args, format);
  fputs("upf: error: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return -1;
}

enum option_id {
  OPT_SESSIONS = 256,
  OPT_REPORT,
  OPT_STATS,
  OPT_N3,
  OPT_N6,
  OPT_CLOCK,
  OPT_INTERVAL,
  OPT_PACKETS,
  OPT_IDLE,
  OPT_WORKERS,
  OPT_RECORD_N3,
  OPT_RECORD_N6,
  OPT_PRELOAD_N3,
  OPT_PRELOAD_N6,
  OPT_LOOPS,
  OPT_RATE,
  OPT_MBUFS,
  OPT_MBUF_SIZE,
  OPT_TIMING
};

static const struct option long_options[] = {{"sessions", required_argument, NULL, OPT_SESSIONS},
                                             {"report", required_argument, NULL, OPT_REPORT},
                                             {"stats", required_argument, NULL, OPT_STATS},
                                             {"n3", required_argument, NULL, OPT_N3},
                                             {"n6", required_argument, NULL, OPT_N6},
                                             {"clock", required_argument, NULL, OPT_CLOCK},
                                             {"interval", required_argument, NULL, OPT_INTERVAL},
                                             {"packets", required_argument, NULL, OPT_PACKETS},
                                             {"idle", required_argument, NULL, OPT_IDLE},
                                             {"workers", required_argument, NULL, OPT_WORKERS},
                                             {"record-n3", required_argument, NULL, OPT_RECORD_N3},
                                             {"record-n6", required_argument, NULL, OPT_RECORD_N6},
                                             {"preload-n3", required_argument, NULL, OPT_PRELOAD_N3},
                                             {"preload-n6", required_argument, NULL, OPT_PRELOAD_N6},
                                             {"loops", required_argument, NULL, OPT_LOOPS},
                                             {"rate", required_argument, NULL, OPT_RATE},
                                             {"mbufs", required_argument, NULL, OPT_MBUFS},
                                             {"mbuf-size", required_argument, NULL, OPT_MBUF_SIZE},
                                             {"timing", no_argument, NULL, OPT_TIMING},
                                             {NULL, 0, NULL, 0}};

static int parse_clock(struct options* o, const char* name) {
  if (strcmp(name, "packet") == 0)
    o->clock = CLOCK_PACKET;
  else if (strcmp(name, "tsc") == 0)
    o->clock = CLOCK_TSC;
  else if (strcmp(name, "pcap") == 0)
    o->clock = CLOCK_PCAP;
  else
    return failed("--clock takes packet, tsc or pcap, not '%s'", name);
  return 0;
}

// Numbers that an option may take, up to `max`.
static int parse_number(const char* text, uint64_t max, uint64_t* out) {
  char* end = NULL;
  errno = 0;
  *out = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end || errno || *out > max)
    return failed("a number up to %" PRIu64 " expected, not '%s'", max, text);
  return 0;
}

static int parse_number_option(struct options* o, int id, const char* text) {
  uint64_t v = 0;
  uint64_t max = id == OPT_N3 || id == OPT_N6 ? RTE_MAX_ETHPORTS - 1
                 : id == OPT_WORKERS          ? MAX_WORKERS
                 : id == OPT_MBUF_SIZE        ? 16384
                 : id == OPT_MBUFS            ? 1u << 22
                 : id == OPT_LOOPS            ? 1000000000u
                                              : UINT64_MAX / 2;
  if (parse_number(text, max, &v) != 0) return -1;
  switch (id) {
  case OPT_N3:
    o->port[IF_ACCESS] = (uint16_t)v;
    break;
  case OPT_N6:
    o->port[IF_CORE] = (uint16_t)v;
    break;
  case OPT_INTERVAL:
    o->interval = v;
    break;
  case OPT_PACKETS:
    o->packets = v;
    break;
  case OPT_IDLE:
    o->idle = v;
    break;
  case OPT_WORKERS:
    o->workers = v ? (unsigned)v : 1;
    break;
  case OPT_LOOPS:
    o->loops = v ? (unsigned)v : 1;
    break;
  case OPT_RATE:
    o->rate = v;
    break;
  case OPT_MBUFS:
    o->mbufs = (unsigned)v;
    break;
  default:
    o->mbuf_size = (unsigned)v;
    break;
  }
  return 0;
}

static int parse_option(struct options* o, int id) {
  switch (id) {
  case OPT_SESSIONS:
    o->sessions = optarg;
    return 0;
  case OPT_REPORT:
    o->report = optarg;
    return 0;
  case OPT_STATS:
    o->stats = optarg;
    return 0;
  case OPT_CLOCK:
    return parse_clock(o, optarg);
  case OPT_RECORD_N3:
  case OPT_RECORD_N6:
    o->record[id == OPT_RECORD_N3 ? IF_ACCESS : IF_CORE] = optarg;
    return 0;
  case OPT_PRELOAD_N3:
  case OPT_PRELOAD_N6:
    o->preload[id == OPT_PRELOAD_N3 ? IF_ACCESS : IF_CORE] = optarg;
    return 0;
  case OPT_TIMING:
    o->timing = true;
    return 0;
  default:
    return parse_number_option(o, id, optarg);
  }
}

static int parse_options(int argc, char** argv, struct options* o) {
  *o = (struct options){.interval = 10000,
                        .idle = 1000,
                        .loops = 1,
                        .workers = 1,
                        .mbufs = 8191,
                        .mbuf_size = 2048 + RTE_PKTMBUF_HEADROOM,
                        .port = {0, 1}};
  int id;
  while ((id = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (id == '?' || parse_option(o, id) != 0) {
      fputs(usage, stderr);
      return -1;
    }
  }
  if (o->sessions && optind == argc) return 0;
  fputs(usage, stderr);
  return failed(o->sessions ? "'%s' is no option" : "--sessions is missing%s",
                o->sessions ? argv[optind] : "");
}

static int start_port(uint16_t port, struct rte_mempool* pool) {
  struct rte_eth_conf conf = {0};
  if (!rte_eth_dev_is_valid_port(port)) return failed("there is no port %u; add a --vdev", port);
  int rc = rte_eth_dev_configure(port, 1, 1, &conf);
  if (rc == 0) rc = rte_eth_rx_queue_setup(port, 0, DESCRIPTORS, SOCKET_ID_ANY, NULL, pool);
  if (rc == 0) rc = rte_eth_tx_queue_setup(port, 0, DESCRIPTORS, SOCKET_ID_ANY, NULL);
  if (rc == 0) rc = rte_eth_dev_start(port);
  return rc == 0 ? 0 : failed("port %u does not start: %s", port, strerror(-rc));
}

// The name that worker `index` writes to: PATH, PATH.1, PATH.2 ...
static void worker_path(char* out, size_t len, const char* path, unsigned index) {
  if (index == 0)
    snprintf(out, len, "%s", path);
  else
    snprintf(out, len, "%s.%u", path, index);
}

static int start_lane(struct lane* l, const struct options* o, const struct config* config, unsigned index) {
  char path[4096];
  l->options = o;
  l->now = NS_PER_S;
  if (o->report) {
    worker_path(path, sizeof path, o->report, index);
    l->report = fopen(path, "w");
    if (!l->report) return failed("%s: %s", path, strerror(errno));
  }
  l->worker = worker_create(config, l->report);
  if (!l->worker) return failed("out of memory for worker %u", index);
  for (int i = 0; i < 2; i++) {
    transmit_attach(l->worker->tx, (enum interface)i, l->port[i], 0);
    if (!o->record[i]) continue;
    worker_path(path, sizeof path, o->record[i], index);
    if (!transmit_record(l->worker->tx, (enum interface)i, path))
      return failed("%s: %s", path, strerror(errno));
  }
  return 0;
}

static int start_lanes(struct lane* lanes, const struct options* o, const struct config* config) {
  struct rte_mempool* pool =
      rte_pktmbuf_pool_create("frames", o->mbufs, 256, 0, (uint16_t)o->mbuf_size, SOCKET_ID_ANY);
  if (!pool) return failed("no memory for %u buffers; raise -m or lower --mbufs", o->mbufs);
  bool preload = o->preload[0] || o->preload[1];
  if (o->rate && !preload)
    return failed("only preloaded frames arrive at a rate: add --preload-n3 or --preload-n6");
  if (preload && o->workers > 1) return failed("preloaded frames feed one worker only");
  for (unsigned i = 0; i < o->workers; i++) {
    struct lane* l = &lanes[i];
    char err[512];
    l->port[IF_ACCESS] = (uint16_t)(o->port[IF_ACCESS] + 2 * i);
    l->port[IF_CORE] = (uint16_t)(o->port[IF_CORE] + 2 * i);
    if (preload && !(l->feed = feed_create(o, pool, l->port, err, sizeof err))) return failed("%s", err);
    if (preload && o->rate &&
        !(l->arrivals = arrivals_create((double)o->rate, feed_frames(l->feed),
                                        o->loops > 1 ? feed_frames(l->feed) / o->loops : 0)))
      return failed("no memory for the times of %" PRIu64 " packets", feed_frames(l->feed));
    if (start_port(l->port[IF_ACCESS], pool) != 0) return -1;
    if (start_port(l->port[IF_CORE], pool) != 0) return -1;
    if (start_lane(l, o, config, i) != 0) return -1;
  }
  return 0;
}

static int run_lanes(struct lane* lanes, const struct options* o) {
  unsigned index = 1, lcore;
  if (o->workers > rte_lcore_count())
    return failed("%u workers need as many lcores; there are %u", o->workers, rte_lcore_count());
  RTE_LCORE_FOREACH_WORKER(lcore) {
    if (index < o->workers) rte_eal_remote_launch(run_lane, &lanes[index++], lcore);
  }
  run_lane(&lanes[0]);
  rte_eal_mp_wait_lcore();
  uint64_t end = 0;
  for (unsigned i = 0; i < o->workers; i++)
    if (lanes[i].now > end) end = lanes[i].now;
  worker_final_reports(lanes[0].worker, end); // of all sessions, which the workers share
  return 0;
}

static void print_timing(const struct lane* lanes, unsigned n) {
  double hz = (double)rte_get_tsc_hz();
  for (unsigned i = 0; i < n; i++) {
    const struct lane* l = &lanes[i];
    double seconds = (double)l->cycles / hz;
    printf("packets=%" PRIu64 " cycles=%" PRIu64 " pps=%.0f ns_per_packet=%.1f\n", l->packets, l->cycles,
           seconds > 0 ? (double)l->packets / seconds : 0.0,
           l->packets ? seconds * 1e9 / (double)l->packets : 0.0);
  }
}

static int write_results(const struct lane* lanes, const struct options* o, const struct config* config) {
  struct worker* workers[MAX_WORKERS];
  struct counters sum = {0};
  for (unsigned i = 0; i < o->workers; i++) {
    workers[i] = lanes[i].worker;
    for (int p = 0; p < 2; p++) {
      // Every lane has its worker here; the analyser does not see that failed() is never 0.
      // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
      sum.port[p].rx_packets += workers[i]->counters->port[p].rx_packets;
      sum.port[p].tx_packets += workers[i]->counters->port[p].tx_packets;
    }
  }
  for (int p = 0; p < 2; p++)
    printf("%s: received %" PRIu64 ", sent %" PRIu64 "\n", p == IF_ACCESS ? "n3" : "n6",
           sum.port[p].rx_packets, sum.port[p].tx_packets);
  if (o->timing || o->preload[0] || o->preload[1]) print_timing(lanes, o->workers);
  if (lanes[0].arrivals) arrivals_print(lanes[0].arrivals);
  if (!o->stats) return 0;
  FILE* f = fopen(o->stats, "w");
  if (!f) return failed("%s: %s", o->stats, strerror(errno));
  stats_write(f, workers, o->workers, config);
  return fclose(f) == 0 ? 0 : failed("%s: %s", o->stats, strerror(errno));
}

static int stop_lanes(struct lane* lanes, const struct options* o) {
  int rc = 0;
  for (unsigned i = 0; i < o->workers; i++) {
    struct lane* l = &lanes[i];
    if (!worker_free(l->worker)) rc = failed("a recording could not be written completely");
    feed_free(l->feed);
    arrivals_free(l->arrivals);
    if (l->report && (ferror(l->report) | fclose(l->report)) != 0)
      rc = failed("%s: %s", o->report, strerror(errno));
    for (int p = 0; p < 2; p++) {
      if (!rte_eth_dev_is_valid_port(l->port[p])) continue;
      rte_eth_dev_stop(l->port[p]);
      rte_eth_dev_close(l->port[p]);
    }
  }
  return rc;
}

static void on_signal(int number) {
  (void)number;
  run_stop();
}

int main(int argc, char** argv) {
  int used = rte_eal_init(argc, argv);
  if (used < 0) return failed("EAL: %s", rte_strerror(rte_errno)) ? 1 : 0;
  struct options o;
  if (parse_options(argc - used, argv + used, &o) != 0) return 2;
  char err[512];
  struct config* config = config_load(o.sessions, err, sizeof err);
  if (!config) return failed("%s", err) ? 1 : 0;
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  struct lane lanes[MAX_WORKERS] = {0};
  int rc = start_lanes(lanes, &o, config);
  if (rc == 0) rc = run_lanes(lanes, &o);
  if (rc == 0) rc = write_results(lanes, &o, config);
  if (stop_lanes(lanes, &o) != 0) rc = -1;
  config_free(config);
  rte_eal_cleanup();
  return rc == 0 ? 0 : 1;
}
