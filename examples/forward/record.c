#include "record.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct record {
  uint16_t ports;
  bool digest;
  uint64_t frames;
  FILE* file[MOST_PORTS];
  uint64_t digests[MOST_PORTS];
};

static FILE* create_file(const char* prefix, unsigned port) {
  // pcap, snapshot length 65535, Ethernet.
  static const uint32_t header[6] = {0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 1};
  char path[4096];
  snprintf(path, sizeof path, "%s-%u", prefix, port);
  FILE* f = fopen(path, "wb");
  if (f) fwrite(header, sizeof header, 1, f);
  if (!f) failed("%s: %s", path, strerror(errno));
  return f;
}

struct record* record_create(const struct options* options) {
  struct record* r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->ports = options->ports;
  r->digest = options->digest;
  for (unsigned p = 0; options->record && p < r->ports; p++)
    if (!(r->file[p] = create_file(options->record, p))) {
      record_free(r);
      return NULL;
    }
  return r;
}

bool record_free(struct record* r) {
  bool ok = true;
  for (unsigned p = 0; r && p < r->ports; p++)
    if (r->file[p] && (ferror(r->file[p]) | fclose(r->file[p])) != 0) ok = false;
  free(r);
  return ok;
}

// The time stamp is the frame's number: two runs record the same.
static void write_frame(FILE* f, const struct rte_mbuf* m, uint64_t number) {
  uint32_t header[4] = {(uint32_t)(number / 1000000), (uint32_t)(number % 1000000), m->data_len, m->pkt_len};
  fwrite(header, sizeof header, 1, f);
  fwrite(rte_pktmbuf_mtod(m, const void*), m->data_len, 1, f);
}

// FNV-1a, over the length and the bytes.
static uint64_t digest(uint64_t hash, const struct rte_mbuf* m) {
  const uint8_t* bytes = rte_pktmbuf_mtod(m, const uint8_t*);
  hash = (hash ^ m->pkt_len) * 0x100000001b3;
  for (uint16_t i = 0; i < m->data_len; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

static void record_port(struct record* r, const struct rte_mbuf* m, unsigned port) {
  if (r->file[port]) write_frame(r->file[port], m, r->frames);
  if (r->digest) r->digests[port] = digest(r->digests[port], m);
}

void record_batch(struct record* r, struct rte_mbuf* const* frame, const uint16_t* out, unsigned count,
                  uint16_t from) {
  if (!r->digest && !r->file[0]) return;
  for (unsigned i = 0; i < count; i++, r->frames++)
    for (unsigned p = 0; p < r->ports; p++)
      if (out[i] == p || (out[i] == FLOOD && p != from)) record_port(r, frame[i], p);
}

void record_print(const struct record* r, FILE* f) {
  for (unsigned p = 0; r->digest && p < r->ports; p++)
    fprintf(f, "port %u: digest %016" PRIx64 "\n", p, r->digests[p]);
}
