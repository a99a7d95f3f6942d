// Forwarding of NDN Interests by name: longest prefix of whole components, as in a FIB. There is no pending-Interest table and no content
// store: Data is counted and dropped.

#include "ndn.h"
#include "fib.h"
#include "forward.h"
#include "hops.h"
#include "lines.h"
#include <stdio.h>
#include <stdlib.h>

const char app_name[] = "forward-ndn";
const uint64_t app_entries = 1000000;

enum verdict { FORWARDED, NOT_NDN, NOT_INTEREST, BAD_PACKET, HOP_LIMIT, NO_ROUTE };
const char* const app_verdicts[] = {"forwarded", "not-ndn", "not-interest", "bad-packet", "hop-limit",
                                    "no-route",  NULL};

struct app {
  struct fib fib;
  struct hop hops[HOPS];
};

// The hop limit's place behind the name; NULL: there is none. False: no packet.
static bool find_hop_limit(struct piece rest, const uint8_t** limit) {
  unsigned type;
  struct piece value;
  *limit = NULL;
  while (rest.at != rest.end) {
    if (!ndn_element(&rest, &type, &value)) return false;
    if (type != NDN_HOP_LIMIT) continue;
    *limit = value.at;
    return value.end - value.at == 1;
  }
  return true;
}

static enum verdict forward(const struct app* app, struct rte_mbuf* m, uint16_t* out) {
  uint8_t* frame = rte_pktmbuf_mtod(m, uint8_t*);
  struct piece rest = {frame + ETHERNET_HEADER, frame + m->data_len}, interest, name;
  unsigned type;
  const uint8_t* limit;
  if (m->data_len < ETHERNET_HEADER || ethernet_type(frame) != ETHERNET_NDN) return NOT_NDN;
  if (!ndn_element(&rest, &type, &interest)) return BAD_PACKET;
  if (type != NDN_INTEREST) return NOT_INTEREST;
  if (!ndn_element(&interest, &type, &name) || type != NDN_NAME) return BAD_PACKET;
  if (!find_hop_limit(interest, &limit)) return BAD_PACKET;
  if (limit && *limit == 0) return HOP_LIMIT;
  uint16_t hop = fib_look_up(&app->fib, name);
  if (hop == FIB_NO_HOP) return NO_ROUTE;
  if (limit) frame[limit - frame]--;
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

static uint8_t* write_element(uint8_t* to, uint8_t type, const void* value, unsigned length) {
  *to++ = type;
  *to++ = (uint8_t)length;
  memcpy(to, value, length);
  return to + length;
}

// /COMPONENT/COMPONENT... HOP
static bool add_line(void* to, const char* line) {
  struct app* app = to;
  uint8_t name[FIB_OCTETS + 64], *end = name;
  unsigned hop;
  const char* at = line + strspn(line, " \t");
  while (*at == '/' && end - name <= FIB_OCTETS) {
    size_t length = strcspn(++at, "/ \t");
    if (length == 0 || length > 62) return false;
    end = write_element(end, NDN_COMPONENT, at, (unsigned)length);
    at += length;
  }
  if (sscanf(at, "%u", &hop) != 1 || hop >= HOPS) return false;
  return fib_insert(&app->fib, name, (unsigned)(end - name), (uint16_t)hop);
}

enum { URL = 32 }; // octets of a generated name, written as /a/b/c

// Name `index` of the generated table: two to four components.
static unsigned write_name(uint64_t seed, uint64_t index, uint8_t* name) {
  uint64_t random = number(seed, index), letters = 0;
  unsigned components = 2u + (random % 10 > 0) + (random % 10 > 6), left = URL - components;
  uint8_t text[URL], *end = name;
  for (unsigned c = components; c > 0; c--) {
    unsigned length = c == 1 ? left : left / c;
    for (unsigned i = 0; i < length; i++, letters >>= 4) {
      if (i % 16 == 0) letters = number(random, c * 4 + i / 16);
      text[i] = (uint8_t)('a' + (letters & 15));
    }
    end = write_element(end, NDN_COMPONENT, text, length);
    left -= length;
  }
  return (unsigned)(end - name);
}

static int fill(struct app* app, const struct options* options) {
  if (options->table) return lines_read(options->table, add_line, app);
  for (uint64_t i = 0; i < options->entries; i++) {
    uint8_t name[FIB_OCTETS];
    unsigned length = write_name(options->seed, i, name);
    if (!fib_insert(&app->fib, name, length, (uint16_t)(i % HOPS))) return failed("no room for name %lu", i);
  }
  return 0;
}

struct app* app_create(const struct options* options) {
  struct app* app = calloc(1, sizeof *app);
  if (!app) return NULL;
  hops_fill(app->hops, options->ports);
  if (options->entries >= 1u << FIB_INDEX_BITS || !fib_create(&app->fib, options->entries))
    failed("no room for %lu names", options->entries);
  else if (fill(app, options) == 0)
    return app;
  app_free(app);
  return NULL;
}

void app_free(struct app* app) {
  if (app) fib_free(&app->fib);
  free(app);
}

// An Interest: a name of the table with a component or two behind it, a nonce, a hop limit.
unsigned app_generate(const struct options* options, struct traffic* traffic, uint16_t port, uint8_t* frame) {
  uint8_t name[FIB_OCTETS + 16], body[128];
  uint64_t random = random_next(&traffic->random), index = draw_next(&traffic->draw, &traffic->random);
  bool odd = random_below(&traffic->random, ODD) == 0;
  unsigned which = odd ? 1 + (unsigned)random_below(&traffic->random, 5) : 0;
  if (which == 1) index = options->entries + random % 1000;
  uint8_t* end = name + write_name(options->seed, index, name);
  end = write_element(end, NDN_COMPONENT, "v1", 2);
  if (random & 1) end = write_element(end, NDN_COMPONENT, &random, 3);
  end = write_element(body, which == 2 ? NDN_COMPONENT : NDN_NAME, name, (unsigned)(end - name));
  end = write_element(end, NDN_NONCE, &random, 4);
  end = write_element(end, NDN_HOP_LIMIT, which == 3 ? "\0" : "\40", 1);
  memset(frame, 0, SMALLEST_FRAME);
  ethernet_received(frame, port, which == 4 ? ETHERNET_IPV4 : ETHERNET_NDN);
  end = write_element(frame + ETHERNET_HEADER, which == 5 ? NDN_INTEREST + 1 : NDN_INTEREST, body,
                      (unsigned)(end - body));
  return end - frame > SMALLEST_FRAME ? (unsigned)(end - frame) : SMALLEST_FRAME;
}
