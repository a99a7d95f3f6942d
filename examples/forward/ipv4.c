// IPv4 forwarding (RFC 1812 section 5): DPDK's DIR-24-8 and next hops. What a router answers with ICMP is dropped and counted.

#include "ipv4.h"
#include "forward.h"
#include "hops.h"
#include "lines.h"
#include <arpa/inet.h>
#include <rte_lpm.h>
#include <stdio.h>
#include <stdlib.h>

const char app_name[] = "forward-ipv4";
const uint64_t app_entries = 100000;

enum verdict { FORWARDED, NOT_IPV4, GROUP, HEADER, CHECKSUM, SOURCE, DESTINATION, EXPIRED, NO_ROUTE };
const char* const app_verdicts[] = {"forwarded",    "not-ipv4",   "link-group",      "bad-header",
                                    "bad-checksum", "bad-source", "bad-destination", "ttl-expired",
                                    "no-route",     NULL};

struct app {
  struct rte_lpm* routes;
  struct hop hops[HOPS];
};

static enum verdict forward(const struct app* app, struct rte_mbuf* m, uint16_t* out) {
  uint8_t* frame = rte_pktmbuf_mtod(m, uint8_t*);
  uint8_t* ip = frame + ETHERNET_HEADER;
  if (m->data_len < ETHERNET_HEADER + IPV4_HEADER || ethernet_type(frame) != ETHERNET_IPV4) return NOT_IPV4;
  if (to_group(frame)) return GROUP;
  if (!ipv4_header_ok(ip, m->data_len - ETHERNET_HEADER, m->pkt_len - ETHERNET_HEADER)) return HEADER;
  if (!ipv4_checksum_ok(ip)) return CHECKSUM;
  if (!ipv4_unicast(read32(ip + IPV4_SOURCE))) return SOURCE;
  uint32_t destination = read32(ip + IPV4_DESTINATION), hop;
  if (!ipv4_unicast(destination)) return DESTINATION;
  if (ip[IPV4_TTL] <= 1) return EXPIRED;
  if (rte_lpm_lookup(app->routes, destination, &hop) != 0) return NO_ROUTE;
  ipv4_age(ip);
  *out = hop_take(&app->hops[hop], frame);
  return FORWARDED;
}

uint16_t app_process(const struct app* app, struct rte_mbuf* m, uint16_t port,
                     uint64_t counts[MOST_VERDICTS]) {
  uint16_t out = DROP;
  (void)port;
  counts[forward(app, m, &out)]++;
  return out;
}

// PREFIX/LENGTH HOP
static bool add_line(void* to, const char* line) {
  struct app* app = to;
  char text[32];
  struct in_addr prefix;
  unsigned length, hop;
  if (sscanf(line, "%31[0-9.]/%u %u", text, &length, &hop) != 3) return false;
  if (inet_pton(AF_INET, text, &prefix) != 1 || length < 1 || length > 32 || hop >= HOPS) return false;
  return rte_lpm_add(app->routes, ntohl(prefix.s_addr), (uint8_t)length, hop) == 0;
}

// How many of 1,000 prefixes have a length: what routers of the Internet have, in round figures.
static const struct {
  uint8_t length;
  uint16_t share;
} lengths[] = {{24, 558}, {23, 82}, {22, 69}, {16, 66}, {19, 66}, {20, 60}, {21, 46},
               {18, 23},  {17, 12}, {28, 10}, {15, 3},  {12, 2},  {14, 2},  {13, 1}};

struct route {
  uint32_t prefix, hop;
  uint8_t length;
};

static uint32_t unicast(uint64_t random) {
  uint32_t network = 1 + (uint32_t)(random >> 32) % 222;
  return (network + (network >= 127)) << 24 | (uint32_t)(random & 0xffffff);
}

static struct route route_of(uint64_t seed, uint64_t index) {
  uint64_t random = number(seed, index), more = mix(random);
  unsigned share = (unsigned)(more % 1000), i = 0;
  while (share >= lengths[i].share)
    share -= lengths[i++].share;
  uint8_t length = lengths[i].length;
  return (struct route){.prefix = unicast(random) & ~UINT32_C(0) << (32 - length),
                        .hop = (more >> 32) % HOPS,
                        .length = length};
}

static int fill(struct app* app, const struct options* options) {
  if (options->table) return lines_read(options->table, add_line, app);
  for (uint64_t i = 0; i < options->entries; i++) {
    struct route r = route_of(options->seed, i);
    if (rte_lpm_add(app->routes, r.prefix, r.length, r.hop) != 0) return failed("no memory for route %lu", i);
  }
  return 0;
}

struct app* app_create(const struct options* options) {
  struct app* app = calloc(1, sizeof *app);
  if (!app) return NULL;
  uint32_t entries = (uint32_t)options->entries;
  const struct rte_lpm_config config = {.max_rules = entries, .number_tbl8s = 256 + entries / 64};
  hops_fill(app->hops, options->ports);
  app->routes = rte_lpm_create("routes", SOCKET_ID_ANY, &config);
  if (!app->routes) failed("no memory for %u routes; raise -m", entries);
  if (app->routes && fill(app, options) == 0) return app;
  app_free(app);
  return NULL;
}

void app_free(struct app* app) {
  if (app) rte_lpm_free(app->routes);
  free(app);
}

unsigned app_generate(const struct options* options, struct traffic* traffic, uint16_t port, uint8_t* frame) {
  uint64_t random = random_next(&traffic->random);
  struct route r = route_of(options->seed, draw_next(&traffic->draw, &traffic->random));
  uint32_t destination = r.prefix | ((uint32_t)random & (uint32_t)(0xffffffffu >> r.length));
  uint32_t source = unicast(mix(random));
  bool odd = random_below(&traffic->random, ODD) == 0;
  unsigned which = odd ? 1 + (unsigned)random_below(&traffic->random, 6) : 0;
  uint8_t* ip = frame + ETHERNET_HEADER;
  memset(frame, 0, SMALLEST_FRAME);
  ethernet_received(frame, port, which == 1 ? ETHERNET_IPV6 : ETHERNET_IPV4);
  if (which == 2) destination = 127u << 24 | 1;
  if (which == 3) destination = unicast(random);
  if (which == 4) source = 224u << 24 | 1;
  ipv4_write(ip, SMALLEST_FRAME - ETHERNET_HEADER, which == 5 ? 1 : 64, source, destination);
  if (which == 6) ip[IPV4_TTL] ^= 1;
  return SMALLEST_FRAME;
}
