// IPv6 forwarding: the trie of lpm6.h and next hops. What a router answers with ICMPv6 is dropped and counted.

#include "ipv6.h"
#include "forward.h"
#include "hops.h"
#include "lines.h"
#include "lpm6.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

const char app_name[] = "forward-ipv6";
const uint64_t app_entries = 200000;

enum verdict { FORWARDED, NOT_IPV6, GROUP, HEADER, SOURCE, DESTINATION, EXPIRED, NO_ROUTE };
const char* const app_verdicts[] = {"forwarded",         "not-ipv6",   "link-group",
                                    "bad-header",        "bad-source", "bad-destination",
                                    "hop-limit-expired", "no-route",   NULL};

struct app {
  struct lpm6* routes;
  struct hop hops[HOPS];
};

static enum verdict forward(const struct app* app, struct rte_mbuf* m, uint16_t* out) {
  uint8_t* frame = rte_pktmbuf_mtod(m, uint8_t*);
  uint8_t* ip = frame + ETHERNET_HEADER;
  if (m->data_len < ETHERNET_HEADER + IPV6_HEADER || ethernet_type(frame) != ETHERNET_IPV6) return NOT_IPV6;
  if (to_group(frame)) return GROUP;
  if (!ipv6_header_ok(ip, m->pkt_len - ETHERNET_HEADER)) return HEADER;
  if (!ipv6_forwarded(ip + IPV6_SOURCE)) return SOURCE;
  if (!ipv6_forwarded(ip + IPV6_DESTINATION)) return DESTINATION;
  if (ip[IPV6_HOP_LIMIT] <= 1) return EXPIRED;
  uint32_t hop = lpm6_look_up(app->routes, ip + IPV6_DESTINATION);
  if (hop == LPM6_NO_ROUTE) return NO_ROUTE;
  ip[IPV6_HOP_LIMIT]--;
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

struct routes {
  struct lpm6_route* list;
  uint32_t count, room;
};

// PREFIX/LENGTH HOP
static bool add_line(void* to, const char* line) {
  struct routes* r = to;
  char text[INET6_ADDRSTRLEN];
  unsigned length, hop;
  if (r->count == r->room || sscanf(line, "%45[0-9a-f:]/%u %u", text, &length, &hop) != 3) return false;
  struct lpm6_route* route = &r->list[r->count];
  if (inet_pton(AF_INET6, text, route->prefix) != 1 || length > 128 || hop >= HOPS) return false;
  route->length = (uint8_t)length;
  route->hop = hop;
  r->count++;
  return true;
}

// How many of 1,000 prefixes have a length: what routers of the Internet have, in round figures.
static const struct {
  uint8_t length;
  uint16_t share;
} lengths[] = {{48, 460}, {32, 190}, {40, 90}, {44, 90}, {36, 50}, {29, 40}, {42, 25},
               {46, 20},  {34, 15},  {64, 5},  {56, 5},  {28, 5},  {24, 3},  {128, 2}};

// Networks are neighbours: of each registry's /12 some have a /32, and their customers have prefixes in it.
static struct lpm6_route route_of(const struct options* options, uint64_t index) {
  static const uint16_t registries[] = {0x2001, 0x2400, 0x2600, 0x2800, 0x2a00, 0x2c00};
  uint64_t random = number(options->seed, index), more = mix(random);
  uint64_t network = mix(random % (options->entries / 8 + 1));
  unsigned share = (unsigned)(more % 1000), i = 0;
  while (share >= lengths[i].share)
    share -= lengths[i++].share;
  struct lpm6_route route = {.length = lengths[i].length, .hop = (uint32_t)(more >> 32) % HOPS};
  write32(route.prefix, (uint32_t)registries[network % 6] << 16 | (uint32_t)(network >> 44));
  write32(route.prefix + 4, (uint32_t)(random >> 32));
  write32(route.prefix + 8, (uint32_t)mix(more));
  write32(route.prefix + 12, (uint32_t)(mix(more) >> 32));
  return route;
}

static struct lpm6* create_routes(const struct options* options) {
  struct routes r = {.room = (uint32_t)options->entries};
  struct lpm6* routes = NULL;
  int rc = 0;
  r.list = malloc(r.room * sizeof *r.list);
  if (r.list && options->table) rc = lines_read(options->table, add_line, &r);
  while (r.list && !options->table && r.count < r.room) {
    r.list[r.count] = route_of(options, r.count);
    r.count++;
  }
  if (r.list && rc == 0) routes = lpm6_create(r.list, r.count, !options->uncompressed);
  if (!routes && rc == 0) failed("no memory for %u routes", r.room);
  free(r.list);
  return routes;
}

struct app* app_create(const struct options* options) {
  struct app* app = calloc(1, sizeof *app);
  if (!app) return NULL;
  hops_fill(app->hops, options->ports);
  app->routes = create_routes(options);
  if (app->routes) return app;
  app_free(app);
  return NULL;
}

void app_free(struct app* app) {
  if (app) lpm6_free(app->routes);
  free(app);
}

// An address in the route: its bits behind the prefix are random.
static void address_in(const struct lpm6_route* route, uint64_t random, uint8_t* address) {
  for (unsigned i = 0; i < IPV6_ADDRESS; i++, random = random >> 8 | random << 56) {
    unsigned kept = route->length <= 8 * i ? 0 : route->length - 8 * i;
    uint8_t mask = kept >= 8 ? 0xff : (uint8_t)~(0xff >> kept);
    address[i] = (uint8_t)((route->prefix[i] & mask) | ((uint8_t)random & ~mask));
  }
}

unsigned app_generate(const struct options* options, struct traffic* traffic, uint16_t port, uint8_t* frame) {
  static const uint16_t payload = SMALLEST_FRAME - ETHERNET_HEADER - IPV6_HEADER;
  uint64_t random = random_next(&traffic->random);
  struct lpm6_route route = route_of(options, draw_next(&traffic->draw, &traffic->random));
  uint8_t source[IPV6_ADDRESS] = {0x20, 0x01, 0x0d, 0xb8}, destination[IPV6_ADDRESS];
  bool odd = random_below(&traffic->random, ODD) == 0;
  unsigned which = odd ? 1 + (unsigned)random_below(&traffic->random, 6) : 0;
  write32(source + 12, (uint32_t)random);
  address_in(&route, random, destination);
  if (which == 1) source[0] = 0xff;
  if (which == 2) memset(destination, 0, sizeof destination);
  if (which == 3) destination[0] = 0x3f;
  memset(frame, 0, SMALLEST_FRAME);
  ethernet_received(frame, port, which == 4 ? ETHERNET_IPV4 : ETHERNET_IPV6);
  ipv6_write(frame + ETHERNET_HEADER, which == 5 ? payload + 1 : payload, which == 6 ? 1 : 64, source,
             destination);
  return SMALLEST_FRAME;
}
