// Plays the kernel for programs with xsk.h: 500 packets, in bursts of changing size, each in the frame that stands first in
// the fill ring.
#include "xsk.h"

enum { RING = 64, PACKETS = 500 };

static struct {
  uint32_t producer, consumer;
} pointers[3];
static struct xdp_desc received[RING];
static uint64_t to_fill[RING], sent[RING];
static uint8_t *frames_area;
static uint32_t next;

int xsk_umem__create(struct xsk_umem **umem, void *area, uint64_t size, struct xsk_ring_prod *fill,
                     struct xsk_ring_cons *completion, const struct xsk_umem_config *config) {
  *umem = area;
  frames_area = area;
  *completion = (struct xsk_ring_cons){.mask = RING - 1, .size = RING, .producer = &pointers[1].producer,
                                       .consumer = &pointers[1].consumer, .ring = sent};
  *fill = (struct xsk_ring_prod){.cached_cons = RING, .mask = RING - 1, .size = RING, .ring = to_fill,
                                 .producer = &pointers[2].producer, .consumer = &pointers[2].consumer};
  return config != 0;
}

int xsk_socket__create(struct xsk_socket **socket, const char *interface, uint32_t queue, struct xsk_umem *umem,
                       struct xsk_ring_cons *rx, struct xsk_ring_prod *tx, const struct xsk_socket_config *config) {
  *socket = 0;
  *rx = (struct xsk_ring_cons){.mask = RING - 1, .size = RING, .producer = &pointers[0].producer,
                               .consumer = &pointers[0].consumer, .ring = received};
  return !umem || tx || config;
}

int wait_for_packets(void) {
  for (uint32_t want = 1 + next * 7 % RING; want > 0 && next < PACKETS; want--, next++) {
    if (pointers[2].consumer == pointers[2].producer) break;
    const uint64_t frame = to_fill[pointers[2].consumer++ % RING];
    const uint32_t length = 60 + next * 37 % 180;
    for (uint32_t k = 0; k < length; k++) frames_area[frame + k] = (uint8_t)(next * 31 + k * 7);
    received[pointers[0].producer++ % RING] = (struct xdp_desc){frame, length, 0};
    sent[pointers[1].producer++ % RING] = next;
  }
  return pointers[0].producer != pointers[0].consumer;
}
