// Command line, ports, start and end. Usage: README.md.

#include "loop.h"
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

enum { BUFFERS = 4095, BUFFER_CACHE = 256, DESCRIPTORS = 512 };

static const char usage[] =
    "usage: %s EAL-OPTIONS -- [--table FILE | --entries N] [--packets N] [--ports N] [--zipf] [--seed N]\n"
    "           [--idle POLLS] [--record PREFIX] [--digest] [--timing] [--uncompressed]\n";

int failed(const char* format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s: error: ", app_name);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return -1;
}

enum option_id {
  OPT_TABLE = 256,
  OPT_RECORD,
  OPT_ENTRIES,
  OPT_PACKETS,
  OPT_PORTS,
  OPT_SEED,
  OPT_IDLE,
  OPT_ZIPF,
  OPT_DIGEST,
  OPT_TIMING,
  OPT_UNCOMPRESSED
};

static const struct option long_options[] = {{"table", required_argument, NULL, OPT_TABLE},
                                             {"record", required_argument, NULL, OPT_RECORD},
                                             {"entries", required_argument, NULL, OPT_ENTRIES},
                                             {"packets", required_argument, NULL, OPT_PACKETS},
                                             {"ports", required_argument, NULL, OPT_PORTS},
                                             {"seed", required_argument, NULL, OPT_SEED},
                                             {"idle", required_argument, NULL, OPT_IDLE},
                                             {"zipf", no_argument, NULL, OPT_ZIPF},
                                             {"digest", no_argument, NULL, OPT_DIGEST},
                                             {"timing", no_argument, NULL, OPT_TIMING},
                                             {"uncompressed", no_argument, NULL, OPT_UNCOMPRESSED},
                                             {0}};

static int parse_number(const char* text, uint64_t least, uint64_t most, uint64_t* number) {
  char* end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  if (errno == 0 && end != text && *end == '\0' && *text != '-' && *number >= least && *number <= most)
    return 0;
  return failed("'%s' is no number from %" PRIu64 " to %" PRIu64, text, least, most);
}

static int parse_option(struct options* o, int id) {
  uint64_t ports;
  switch (id) {
  case OPT_TABLE:
    o->table = optarg;
    return 0;
  case OPT_RECORD:
    o->record = optarg;
    return 0;
  case OPT_ENTRIES:
    return parse_number(optarg, 1, 1u << 24, &o->entries);
  case OPT_PACKETS:
    return parse_number(optarg, 0, UINT64_MAX, &o->packets);
  case OPT_PORTS:
    if (parse_number(optarg, 1, MOST_PORTS, &ports) != 0) return -1;
    o->ports = (uint16_t)ports;
    return 0;
  case OPT_SEED:
    return parse_number(optarg, 0, UINT64_MAX, &o->seed);
  case OPT_IDLE:
    return parse_number(optarg, 0, UINT64_MAX, &o->idle);
  case OPT_ZIPF:
    o->zipf = true;
    return 0;
  case OPT_DIGEST:
    o->digest = true;
    return 0;
  case OPT_TIMING:
    o->timing = true;
    return 0;
  case OPT_UNCOMPRESSED:
    o->uncompressed = true;
    return 0;
  default:
    return -1;
  }
}

static int parse_options(int argc, char** argv, struct options* o) {
  *o = (struct options){.entries = app_entries, .idle = 1000, .ports = 2};
  int id;
  while ((id = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
    if (parse_option(o, id) != 0) {
      fprintf(stderr, usage, app_name);
      return -1;
    }
  }
  if (optind == argc) return 0;
  fprintf(stderr, usage, app_name);
  return failed("'%s' is no option", argv[optind]);
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

static int start_ports(struct loop* l, struct options* o) {
  struct rte_mempool* pool =
      rte_pktmbuf_pool_create("frames", BUFFERS, BUFFER_CACHE, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
  if (!pool) return failed("no memory for buffers; raise -m");
  if (rte_eth_dev_count_avail() == 0) {
    if (o->table) return failed("traffic is generated for generated tables only; add a --vdev for each port");
    if (o->packets == 0) o->packets = 1000000;
    if (!(l->feed = feed_create(o, pool))) return -1;
  }
  for (uint16_t p = 0; p < o->ports; p++)
    if (start_port(p, pool) != 0) return -1;
  return 0;
}

static void stop_ports(uint16_t ports) {
  for (uint16_t p = 0; p < ports; p++) {
    if (!rte_eth_dev_is_valid_port(p)) continue;
    rte_eth_dev_stop(p);
    rte_eth_dev_close(p);
  }
}

static void print_results(const struct loop* l) {
  transmit_print(l->transmit, stdout);
  record_print(l->record, stdout);
  for (unsigned i = 0; app_verdicts[i]; i++)
    if (l->counts[i]) printf("%s: %" PRIu64 "\n", app_verdicts[i], l->counts[i]);
  if (!l->options->timing || l->packets == 0) return;
  double seconds = (double)l->cycles / (double)rte_get_tsc_hz();
  double body_seconds = (double)l->body_cycles / (double)rte_get_tsc_hz();
  printf("packets=%" PRIu64 " cycles=%" PRIu64 " pps=%.0f ns_per_packet=%.1f body_ns=%.2f\n", l->packets,
         l->cycles, (double)l->packets / seconds, seconds * 1e9 / (double)l->packets,
         body_seconds * 1e9 / (double)l->packets);
}

static void on_signal(int number) {
  (void)number;
  loop_stop();
}

static int run(struct options* o) {
  struct loop l = {.options = o, .counts = calloc(MOST_VERDICTS, sizeof *l.counts)};
  l.app = l.counts ? app_create(o) : NULL;
  l.record = l.app ? record_create(o) : NULL;
  l.transmit = l.record ? transmit_create(o->ports) : NULL;
  int rc = l.transmit ? start_ports(&l, o) : -1;
  if (rc == 0) {
    loop_run(&l);
    print_results(&l);
  }
  stop_ports(o->ports);
  if (!record_free(l.record)) rc = failed("a recording could not be written completely");
  transmit_free(l.transmit);
  feed_free(l.feed);
  app_free(l.app);
  free(l.counts);
  return rc;
}

int main(int argc, char** argv) {
  int used = rte_eal_init(argc, argv);
  if (used < 0) return failed("EAL: %s", rte_strerror(rte_errno)) ? 1 : 0;
  struct options o;
  if (parse_options(argc - used, argv + used, &o) != 0) return 2;
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  int rc = run(&o);
  rte_eal_cleanup();
  return rc == 0 ? 0 : 1;
}
