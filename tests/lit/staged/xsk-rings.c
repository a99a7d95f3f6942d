// AF_XDP: the loop over received descriptors, found by the inline function that says how many there are; the loop over
// completions, which the same function serves, is none. Packets only read their frames, so these need no window; -DCHANGE
// writes to them, and as which frame is whose is not known, they have one. The kernel's part is played by Inputs/xsk.c.
// RUN: %clang -O2 -c %S/Inputs/xsk.c -o %t.xsk.o
// RUN: %heddle_cc -g -O2 %packets %s %t.xsk.o -o %t && %heddle inspect %t | FileCheck %s --check-prefix=INSPECT
// RUN: %stage %t | FileCheck %s
// RUN: %heddle verify %t --dependencies | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify %t --dependencies --staged | FileCheck %s --check-prefix=ORDER
// RUN: env STAGE_BODY="--body receive" %stage %t | FileCheck %s
// RUN: %heddle_cc -g -O2 %packets -DCHANGE %s %t.xsk.o -o %t.change && %stage %t.change | FileCheck %s --check-prefix=CHANGE
// RUN: %heddle verify %t.change --dependencies | FileCheck %s --check-prefix=ORDER
#include "xsk.h"

#include "packets.h"

enum { FRAMES = 64, BURST = 32, FRAME_SIZE = 2048 };

static struct xsk_ring_cons rx, completion;
static struct xsk_ring_prod fill;
static uint8_t *area;
static uint64_t outstanding;
static struct {
  uint32_t packets, bytes;
} flows[8];

struct parsed {
  uint32_t key, digest;
};

__attribute__((noinline)) static void parse(struct parsed *p, const uint8_t *data, uint32_t size) {
  p->key = data[3];
  p->digest = size;
  for (uint32_t i = 0; i < size; i++) p->digest = mix(p->digest + data[i]);
}

__attribute__((noinline)) static void transform(struct parsed *p, uint8_t *data, uint32_t size) {
  for (uint32_t i = 0; i < size; i += 3) {
    p->digest ^= mix(data[i] + p->digest);
#ifdef CHANGE
    data[i] = (uint8_t)p->digest;
#endif
  }
}

__attribute__((noinline)) static void account(const struct parsed *p, uint32_t size) {
  flows[p->key % 8].packets++;
  flows[p->key % 8].bytes += size;
}

static void complete(void) {
  uint32_t index = 0, count = xsk_ring_cons__peek(&completion, BURST, &index);
  for (uint32_t i = 0; i < count; i++) outstanding += *xsk_ring_cons__comp_addr(&completion, index++);
  if (count) xsk_ring_cons__release(&completion, count);
}

static void receive(void) {
  uint32_t index = 0, to = 0, count = xsk_ring_cons__peek(&rx, BURST, &index);
  if (!count || xsk_ring_prod__reserve(&fill, count, &to) != count) return;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t address = xsk_ring_cons__rx_desc(&rx, index)->addr;
    const uint32_t size = xsk_ring_cons__rx_desc(&rx, index++)->len;
    *xsk_ring_prod__fill_addr(&fill, to++) = address;
    uint8_t *data = xsk_umem__get_data(area, address);
    struct parsed parsed;
    parse(&parsed, data, size);
    transform(&parsed, data, size);
    account(&parsed, size);
    if (parsed.digest % 4 == 0) printf("%u %08x\n", size, parsed.digest);
  }
  xsk_ring_prod__submit(&fill, count);
  xsk_ring_cons__release(&rx, count);
}

int main(void) {
  struct xsk_umem *umem;
  struct xsk_socket *socket;
  uint32_t to;
  area = malloc((size_t)FRAMES * FRAME_SIZE);
  if (!area || xsk_umem__create(&umem, area, (uint64_t)FRAMES * FRAME_SIZE, &fill, &completion, NULL) ||
      xsk_socket__create(&socket, "none", 0, umem, &rx, NULL, NULL) ||
      xsk_ring_prod__reserve(&fill, FRAMES, &to) != FRAMES)
    return 1;
  for (uint64_t i = 0; i < FRAMES; i++) *xsk_ring_prod__fill_addr(&fill, to++) = i * FRAME_SIZE;
  xsk_ring_prod__submit(&fill, FRAMES);
  while (wait_for_packets()) {
    receive();
    complete();
  }
  for (int i = 0; i < 8; i++) printf("%d: %u packets, %u bytes\n", i, flows[i].packets, flows[i].bytes);
  printf("%llu\n", (unsigned long long)outstanding);
  show_crossings();
  return 0;
}
// INSPECT: packet body 0: xsk_ring_cons__peek at
// INSPECT-NEXT: loop       receive at
// INSPECT-NOT: packet body
// CHECK: sites (
// CHECK: {{ parse +\(context}}
// CHECK: outputs: identical
// CHECK: crossings {{[1-9]}}
// CHANGE-NOT: {{ parse +\(context}}
// CHANGE: outputs: identical
// ORDER: order: no dependence is reversed
