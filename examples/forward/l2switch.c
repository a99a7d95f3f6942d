// A switch (IEEE 802.1Q section 8, without VLANs): the stations' addresses and ports are in a table that the control plane has filled.
// Source and destination of each frame are looked up. A frame from a station that is unknown, or was known behind another port, is
// counted for the control plane to learn from, and forwarded; one to an unknown station or to a group is flooded.

#include "cuckoo.h"
#include "ethernet.h"
#include "forward.h"
#include "lines.h"
#include <stdio.h>
#include <stdlib.h>

const char app_name[] = "forward-l2switch";
const uint64_t app_entries = 1000000;

enum verdict { FORWARDED, FLOODED, FLOODED_GROUP, RUNT, SOURCE_GROUP, RESERVED, SAME_PORT, UNKNOWN, MOVED };
const char* const app_verdicts[] = {"forwarded",    "flooded",  "flooded-group", "runt",
                                    "source-group", "reserved", "same-port",     "unknown-source",
                                    "moved-source", NULL};

enum { PORT_BITS = 16 };

struct app {
  struct cuckoo stations;
  uint16_t ports;
};

static uint64_t number_of(const uint8_t* address) {
  return (uint64_t)read16(address) << 32 | read32(address + 2);
}

// 01-80-c2-00-00-00 to -0f: what bridges do not forward (section 8.6.3).
static bool reserved(uint64_t address) {
  return address >> 4 == 0x0180c200000;
}

static void check_source(const struct app* app, uint64_t source, uint16_t port, uint64_t* counts) {
  uint64_t known = cuckoo_look_up(&app->stations, source);
  if (known == cuckoo_none)
    counts[UNKNOWN]++;
  else if (known != port)
    counts[MOVED]++;
}

static enum verdict forward(const struct app* app, const struct rte_mbuf* m, uint16_t in, uint64_t* counts,
                            uint16_t* out) {
  const uint8_t* frame = rte_pktmbuf_mtod(m, const uint8_t*);
  if (m->data_len < ETHERNET_HEADER) return RUNT;
  uint64_t destination = number_of(frame);
  if (to_group(frame + ETHERNET_ADDRESS)) return SOURCE_GROUP;
  if (reserved(destination)) return RESERVED;
  check_source(app, number_of(frame + ETHERNET_ADDRESS), in, counts);
  *out = FLOOD;
  if (to_group(frame)) return FLOODED_GROUP;
  uint64_t port = cuckoo_look_up(&app->stations, destination);
  if (port == cuckoo_none) return FLOODED;
  *out = port == in ? DROP : (uint16_t)port;
  return port == in ? SAME_PORT : FORWARDED;
}

uint16_t app_process(const struct app* app, struct rte_mbuf* m, uint16_t port,
                     uint64_t counts[MOST_VERDICTS]) {
  uint16_t out = DROP;
  counts[forward(app, m, port, counts, &out)]++;
  return out;
}

// ADDRESS PORT
static bool add_line(void* to, const char* line) {
  struct app* app = to;
  unsigned a[ETHERNET_ADDRESS], port;
  if (sscanf(line, "%x:%x:%x:%x:%x:%x %u", &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &port) != 7)
    return false;
  uint64_t address = 0;
  for (unsigned i = 0; i < ETHERNET_ADDRESS; i++) {
    if (a[i] > 0xff) return false;
    address = address << 8 | a[i];
  }
  return address != 0 && (a[0] & 1) == 0 && port < app->ports && cuckoo_insert(&app->stations, address, port);
}

// Station `index` of the generated table is behind port `index` modulo the number of ports.
static uint64_t station(uint64_t seed, uint64_t index) {
  return (number(seed, index) & 0xfcffffffffff) | 0x020000000000;
}

static int fill(struct app* app, const struct options* options) {
  if (options->table) return lines_read(options->table, add_line, app);
  for (uint64_t i = 0; i < options->entries; i++)
    if (!cuckoo_insert(&app->stations, station(options->seed, i), i % options->ports))
      return failed("no room for station %lu", i);
  return 0;
}

struct app* app_create(const struct options* options) {
  struct app* app = calloc(1, sizeof *app);
  if (!app) return NULL;
  app->ports = options->ports;
  if (!cuckoo_create(&app->stations, options->entries, PORT_BITS))
    failed("no memory for %lu stations", options->entries);
  else if (fill(app, options) == 0)
    return app;
  app_free(app);
  return NULL;
}

void app_free(struct app* app) {
  if (app) cuckoo_free(&app->stations);
  free(app);
}

static void write_address(uint8_t* to, uint64_t address) {
  write16(to, (uint16_t)(address >> 32));
  write32(to + 2, (uint32_t)address);
}

// The number of a station that is behind the port.
static uint64_t behind(const struct options* options, struct traffic* traffic, uint16_t port) {
  uint64_t index = draw_next(&traffic->draw, &traffic->random);
  index = index - index % options->ports + port;
  return index < options->entries ? index : port % options->entries;
}

unsigned app_generate(const struct options* options, struct traffic* traffic, uint16_t port, uint8_t* frame) {
  uint64_t random = random_next(&traffic->random);
  uint16_t other =
      (uint16_t)((port + 1 + random % (options->ports > 1 ? options->ports - 1 : 1)) % options->ports);
  uint64_t destination = station(options->seed, behind(options, traffic, other));
  uint64_t source = station(options->seed, behind(options, traffic, port));
  bool odd = random_below(&traffic->random, ODD) == 0;
  switch (odd ? random_below(&traffic->random, 6) : 6) {
  case 0:
    source = station(options->seed, options->entries + random % 1000);
    break;
  case 1:
    source = station(options->seed, behind(options, traffic, other));
    break;
  case 2:
    source |= UINT64_C(1) << 40;
    break;
  case 3:
    destination = station(options->seed, options->entries + random % 1000);
    break;
  case 4:
    destination = 0xffffffffffff;
    break;
  case 5:
    destination = 0x0180c2000000;
    break;
  default:
    break;
  }
  memset(frame, 0, SMALLEST_FRAME);
  write_address(frame, destination);
  write_address(frame + ETHERNET_ADDRESS, source);
  write16(frame + 2 * ETHERNET_ADDRESS, ETHERNET_IPV4);
  return SMALLEST_FRAME;
}
