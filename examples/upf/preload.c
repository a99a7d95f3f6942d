// Frames kept in memory and fed to ring ports as fresh copies, so that a measurement sees neither files nor a
// driver. The packet loop receives from and sends to the rings as from any port.

#include "run.h"
#include <errno.h>
#include <rte_eth_ring.h>
#include <rte_ring.h>
#include <stdlib.h>

enum { RING = 1024 };

struct frame {
  size_t offset;
  uint32_t len;
};

struct source {
  uint8_t* bytes;
  struct frame* frames;
  size_t count, at;
  struct rte_ring* rx;
  struct rte_ring* tx;
};

struct feed {
  struct source source[2];
  struct rte_mempool* pool;
  unsigned loops, done;
};

static uint8_t* read_whole(const char* path, size_t* len) {
  FILE* f = fopen(path, "rb");
  if (!f) return NULL;
  uint8_t* bytes = NULL;
  long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  if (size >= 0 && fseek(f, 0, SEEK_SET) == 0) bytes = malloc((size_t)size + 1);
  if (bytes && fread(bytes, 1, (size_t)size, f) != (size_t)size) {
    free(bytes);
    bytes = NULL;
  }
  if (!bytes && errno == 0) errno = EIO;
  fclose(f);
  *len = size > 0 ? (size_t)size : 0;
  return bytes;
}

static uint32_t word(const uint8_t* p, bool swapped) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return swapped ? __builtin_bswap32(v) : v;
}

static bool add_frame(struct source* s, size_t* capacity, size_t offset, uint32_t len) {
  if (s->count == *capacity) {
    *capacity = *capacity ? *capacity * 2 : 4096;
    struct frame* grown = realloc(s->frames, *capacity * sizeof *grown);
    if (!grown) return false;
    s->frames = grown;
  }
  s->frames[s->count++] = (struct frame){offset, len};
  return true;
}

static const char* load(struct source* s, const char* path, uint32_t max) {
  size_t len = 0, capacity = 0;
  errno = 0;
  s->bytes = read_whole(path, &len);
  if (!s->bytes) return strerror(errno);
  uint32_t magic = len >= 24 ? word(s->bytes, false) : 0;
  bool swapped = magic == 0xd4c3b2a1u || magic == 0x4d3cb2a1u;
  if (!swapped && magic != 0xa1b2c3d4u && magic != 0xa1b23c4du) return "not a pcap file";
  if (word(s->bytes + 20, swapped) != 1) return "not a capture of Ethernet frames";
  for (size_t at = 24; at < len;) {
    if (len - at < 16) return "ends in the middle of a record";
    uint32_t size = word(s->bytes + at + 8, swapped);
    if (size > len - at - 16) return "ends in the middle of a record";
    if (size <= max && !add_frame(s, &capacity, at + 16, size)) return "out of memory";
    at += 16 + size;
  }
  return NULL;
}

static int make_port(struct source* s, const char* name, uint16_t* port) {
  char ring[32];
  snprintf(ring, sizeof ring, "%s_rx", name);
  s->rx = rte_ring_create(ring, RING, 0, RING_F_SP_ENQ | RING_F_SC_DEQ);
  snprintf(ring, sizeof ring, "%s_tx", name);
  s->tx = rte_ring_create(ring, RING, 0, RING_F_SP_ENQ | RING_F_SC_DEQ);
  if (!s->rx || !s->tx) return -1;
  int id = rte_eth_from_rings(name, &s->rx, 1, &s->tx, 1, 0);
  if (id < 0) return -1;
  *port = (uint16_t)id;
  return 0;
}

struct feed* feed_create(const struct options* options, struct rte_mempool* pool, uint16_t port[2], char* err,
                         size_t err_len) {
  static const char* const name[2] = {"upf_n3", "upf_n6"};
  struct feed* f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->pool = pool;
  f->loops = options->loops;
  for (unsigned i = 0; i < 2; i++) {
    uint32_t max = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;
    const char* problem = options->preload[i] ? load(&f->source[i], options->preload[i], max) : NULL;
    if (problem)
      snprintf(err, err_len, "%s: %s", options->preload[i], problem);
    else if (make_port(&f->source[i], name[i], &port[i]) != 0)
      snprintf(err, err_len, "no ring port %s", name[i]);
    else
      continue;
    feed_free(f);
    return NULL;
  }
  return f;
}

void feed_free(struct feed* f) {
  if (!f) return;
  for (unsigned i = 0; i < 2; i++) {
    free(f->source[i].bytes);
    free(f->source[i].frames);
  }
  free(f);
}

static size_t left_in(const struct source* s) {
  return s->count - s->at;
}

static void feed_source(struct feed* f, struct source* s, size_t most) {
  struct rte_mbuf* burst[BURST];
  size_t left = left_in(s) < most ? left_in(s) : most;
  unsigned n = left < BURST ? (unsigned)left : BURST;
  if (n == 0 || rte_pktmbuf_alloc_bulk(f->pool, burst, n) != 0) return;
  for (unsigned i = 0; i < n; i++) {
    const struct frame* frame = &s->frames[s->at + i];
    memcpy(rte_pktmbuf_append(burst[i], (uint16_t)frame->len), s->bytes + frame->offset, frame->len);
  }
  s->at += n;
  unsigned queued = rte_ring_enqueue_burst(s->rx, (void* const*)burst, n, NULL);
  if (queued < n) rte_pktmbuf_free_bulk(burst + queued, n - queued);
}

uint64_t feed_frames(const struct feed* f) {
  return (uint64_t)f->loops * (f->source[0].count + f->source[1].count);
}

// From either source, in proportion to what is left there.
static void feed_arrived(struct feed* f, struct arrivals* arrivals) {
  unsigned n[2] = {0, 0};
  arrivals_leap(arrivals);
  while (arrivals_due(arrivals)) {
    const size_t left[2] = {left_in(&f->source[0]) - n[0], left_in(&f->source[1]) - n[1]};
    if (left[0] + left[1] == 0) break;
    const unsigned from = arrivals_random(arrivals) * (double)(left[0] + left[1]) >= (double)left[0];
    if (n[from] == BURST) break;
    arrivals_take(arrivals, from);
    n[from]++;
  }
  feed_source(f, &f->source[0], n[0]);
  feed_source(f, &f->source[1], n[1]);
}

bool feed_next(struct feed* f, struct arrivals* arrivals) {
  if (left_in(&f->source[0]) + left_in(&f->source[1]) == 0) {
    if (++f->done >= f->loops) return false;
    f->source[0].at = f->source[1].at = 0;
  }
  if (arrivals) {
    feed_arrived(f, arrivals);
    return true;
  }
  feed_source(f, &f->source[0], BURST);
  feed_source(f, &f->source[1], BURST);
  return true;
}

void feed_drain(struct feed* f) {
  struct rte_mbuf* burst[BURST];
  for (unsigned i = 0; i < 2; i++) {
    unsigned n;
    while ((n = rte_ring_dequeue_burst(f->source[i].tx, (void**)burst, BURST, NULL)) > 0)
      rte_pktmbuf_free_bulk(burst, n);
  }
}
