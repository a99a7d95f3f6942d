// A structure in front of the packet loop, filled there in part and by each packet in part, whose address a callback gets: no proof
// that it is scratch, but the user's word. Each packet's copy begins as what was filled in before. Where the statement is wrong (a
// count that goes on from packet to packet), the dependency checker and the outputs say so.
// RUN: rm -rf %t && mkdir -p %t && %heddle_cc -O2 %packets %s -o %t/p && %heddle profile %t/p --
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=PROVEN
// RUN: { echo '[[scratch]]'; echo 'variable = "stack variable reply of serve"'; echo 'why = "one request"'; } > %t/heddle.toml
// RUN: %stage %t/p | FileCheck %s
// RUN: %heddle plan %t/p --policy finest --budget 1K --explain | FileCheck %s --check-prefix=FREE
// RUN: %heddle verify --dependencies %t/p -- | FileCheck %s --check-prefix=ORDER
//
// RUN: %heddle_cc -O2 -DHANDS_ON %packets %s -o %t/q && %heddle profile %t/q -- && %heddle plan %t/q --policy finest --budget 1K
// RUN: not %heddle verify --dependencies %t/q -- | FileCheck %s --check-prefix=EXPOSED
// RUN: %heddle build %t/q -o %t/q.heddle && not %heddle verify %t/q --optimized %t/q.heddle -- | FileCheck %s --check-prefix=DIFFERENT
#include "packets.h"

struct connection;
struct reply {
  struct connection *connection;
  uint32_t length, sum;
  uint8_t address[64];
};
struct connection {
  int (*callback)(struct reply *, struct rte_mbuf *);
  uint32_t key;
  struct reply *reply; // nobody looks at it
};

static int answer(struct reply *r, struct rte_mbuf *p) {
  r->sum = work(p, p->id ^ r->connection->key);
  p->out[0] = r->sum;
  p->out[1] = work(p, r->sum + r->address[p->length % r->length]);
  p->out[2] = work(p, r->sum + r->address[0]);
#ifdef HANDS_ON
  p->out[3] = ++r->address[63];
#endif
  return 1;
}

static struct connection *new_connection(int answers) {
  struct connection *c = calloc(1, sizeof *c);
  c->callback = answers ? answer : NULL;
  c->key = 77;
  return c;
}

__attribute__((noinline)) static void serve(struct connection *c) {
  struct rte_mbuf *packets[32];
  struct reply reply;
  int n;
  memset(&reply, 0, sizeof reply);
  reply.connection = c;
  c->reply = &reply;
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      reply.length = 4 + packets[i]->id % 40;
      for (uint32_t k = 0; k < reply.length; k++) reply.address[k] = (uint8_t)mix(k + packets[i]->id);
      if (reply.connection->callback(&reply, packets[i])) packets[i]->out[4] = work(packets[i], reply.length + reply.address[1]);
    }
}

int main(int count, char **arguments) {
  (void)arguments;
  serve(new_connection(count < 9));
  show_crossings();
  printf("%08x\n", digest(0));
  return 0;
}
// PROVEN: stack variable reply.length of serve
// PROVEN: be freed by scratch, but its address is kept in memory that packets share
// CHECK: sites (
// CHECK: outputs: identical
// CHECK: crossings {{[1-9]}}
// FREE: stack variable reply of serve: {{.*}}heddle.toml:2: one request
// ORDER: order: no dependence is reversed
// EXPOSED: answer
// DIFFERENT: outputs: different
