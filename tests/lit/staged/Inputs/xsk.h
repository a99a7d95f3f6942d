// What a program needs of <xdp/xsk.h>, for tests that have neither the library nor the privilege: AF_XDP's rings, in the
// layout and with the inline functions that programs use, and functions of xsk.c that play the kernel. tests/net has the
// real ones.
#pragma once
#include <stdint.h>

struct xdp_desc {
  uint64_t addr;
  uint32_t len, options;
};

struct xsk_ring_prod {
  uint32_t cached_prod, cached_cons, mask, size, *producer, *consumer;
  void *ring;
  uint32_t *flags;
};

struct xsk_ring_cons {
  uint32_t cached_prod, cached_cons, mask, size, *producer, *consumer;
  void *ring;
  uint32_t *flags;
};

struct xsk_umem;
struct xsk_umem_config;
struct xsk_socket;
struct xsk_socket_config;
int xsk_umem__create(struct xsk_umem **umem, void *area, uint64_t size, struct xsk_ring_prod *fill,
                     struct xsk_ring_cons *completion, const struct xsk_umem_config *config);
int xsk_socket__create(struct xsk_socket **socket, const char *interface, uint32_t queue, struct xsk_umem *umem,
                       struct xsk_ring_cons *rx, struct xsk_ring_prod *tx, const struct xsk_socket_config *config);
// In place of poll: fills frames with packets that it makes up; 0: there will be no more.
int wait_for_packets(void);

#define XSK_INLINE static inline __attribute__((always_inline))

XSK_INLINE uint64_t *xsk_ring_prod__fill_addr(struct xsk_ring_prod *fill, uint32_t index) {
  return &((uint64_t *)fill->ring)[index & fill->mask];
}

XSK_INLINE const struct xdp_desc *xsk_ring_cons__rx_desc(const struct xsk_ring_cons *rx, uint32_t index) {
  return &((const struct xdp_desc *)rx->ring)[index & rx->mask];
}

XSK_INLINE const uint64_t *xsk_ring_cons__comp_addr(const struct xsk_ring_cons *completion, uint32_t index) {
  return &((const uint64_t *)completion->ring)[index & completion->mask];
}

XSK_INLINE uint32_t xsk_ring_prod__reserve(struct xsk_ring_prod *ring, uint32_t count, uint32_t *index) {
  if (ring->cached_cons - ring->cached_prod < count)
    ring->cached_cons = __atomic_load_n(ring->consumer, __ATOMIC_ACQUIRE) + ring->size;
  if (ring->cached_cons - ring->cached_prod < count) return 0;
  *index = ring->cached_prod;
  ring->cached_prod += count;
  return count;
}

XSK_INLINE void xsk_ring_prod__submit(struct xsk_ring_prod *ring, uint32_t count) {
  __atomic_store_n(ring->producer, *ring->producer + count, __ATOMIC_RELEASE);
}

XSK_INLINE uint32_t xsk_ring_cons__peek(struct xsk_ring_cons *ring, uint32_t most, uint32_t *index) {
  if (ring->cached_prod == ring->cached_cons)
    ring->cached_prod = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
  const uint32_t entries = ring->cached_prod - ring->cached_cons, count = entries < most ? entries : most;
  if (count) *index = ring->cached_cons;
  ring->cached_cons += count;
  return count;
}

XSK_INLINE void xsk_ring_cons__release(struct xsk_ring_cons *ring, uint32_t count) {
  __atomic_store_n(ring->consumer, *ring->consumer + count, __ATOMIC_RELEASE);
}

XSK_INLINE void *xsk_umem__get_data(void *area, uint64_t address) { return (char *)area + address; }
