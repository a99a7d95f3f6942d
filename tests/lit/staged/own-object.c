// A buffer on the heap that all packets reach by one pointer: it ties them together, unless the user says that nothing is handed on
// in it. Then each packet in flight has a buffer of its own, made by the program's function; outside of staged packets it is the
// program's.
// RUN: rm -rf %t && mkdir -p %t && cp %S/Inputs/own-object.toml %t/heddle.toml
// RUN: %heddle_cc -O2 %packets %s -o %t/p && %stage %t/p | FileCheck %s
// RUN: %heddle plan %t/p --policy finest --budget 1K --print --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle verify --dependencies %t/p -- | FileCheck %s --check-prefix=ORDER
// RUN: env HEDDLE_BATCH=8 MADE=1 %t/p.heddle | FileCheck %s --check-prefix=MADE
// RUN: env HEDDLE_BATCH=0 MADE=1 %t/p.heddle | FileCheck %s --check-prefix=ONE
// RUN: env HEDDLE_BATCH=8 NO_MEMORY=1 not --crash %t/p.heddle 2>&1 | FileCheck %s --check-prefix=MEMORY
//
// Nothing is trusted, or the relaxation is off: one buffer, one window.
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain --trust proven | FileCheck %s --check-prefix=PROVEN
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain --without scratch | FileCheck %s --check-prefix=PROVEN
//
// A total that lies in the buffer is handed on from packet to packet. Outputs show it.
// RUN: %heddle_cc -O2 -DHANDS_ON %packets %s -o %t/q && %heddle profile %t/q -- && %heddle plan %t/q --policy finest --budget 1K
// RUN: %heddle build %t/q -o %t/q.heddle && not %heddle verify %t/q --optimized %t/q.heddle -- | FileCheck %s --check-prefix=DIFFERENT
#include "packets.h"

struct buffer {
  size_t capacity, length;
  uint8_t *bytes;
  uint32_t total;
};
struct connection {
  int number;
  struct buffer *in;
};

static unsigned made;
static struct connection *only;

struct buffer *buffer_new(size_t capacity) {
  struct buffer *b = made && getenv("NO_MEMORY") ? NULL : malloc(sizeof *b);
  if (!b) return NULL;
  made++;
  b->capacity = capacity;
  b->length = b->total = 0;
  b->bytes = malloc(capacity);
  return b;
}

__attribute__((noinline)) static void receive(struct connection *c, struct rte_mbuf *p) {
  for (c->in->length = 0; c->in->length < p->length && c->in->length < c->in->capacity; c->in->length++)
    c->in->bytes[c->in->length] = (uint8_t)mix(p->id + (uint32_t)c->in->length);
}
__attribute__((noinline)) static uint32_t sum(struct connection *c) {
  uint32_t x = 0;
  for (size_t i = 0; i < c->in->length; i++) x = x * 31 + c->in->bytes[i];
  return x;
}

static void serve(struct connection *c, struct rte_mbuf *p) {
  receive(c, p);
  p->out[0] = work(p, p->id);
  p->out[1] = work(p, sum(c));
  c->in->bytes[0] ^= (uint8_t)p->out[1];
#ifdef HANDS_ON
  c->in->total += p->length;
  p->out[3] = c->in->total;
#endif
  p->out[2] = work(p, sum(c));
}

int main(void) {
  struct rte_mbuf *packets[32];
  int n;
  only = malloc(sizeof *only);
  only->number = 1;
  only->in = buffer_new(2048);
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) serve(only, packets[i]);
  show_crossings();
  if (getenv("MADE")) printf("%u buffers\n", made);
  printf("%08x\n", digest(0));
  return 0;
}
// CHECK: sites (
// CHECK: outputs: identical
// CHECK: crossings {{[1-9]}}
// FREE: what connection.in points to: {{.*}}heddle.toml:2: holds one message
// ORDER: order: no dependence is reversed
// MADE: 9 buffers
// ONE: 1 buffers
// MEMORY: heddle: no memory for the object of its own that a packet in flight needs
// PROVEN: buffer.length (heap at
// PROVEN: first access
// DIFFERENT: outputs: different
