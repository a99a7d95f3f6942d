// A crash inside a body, after the packet and those before it have been suspended: the core file has the backtrace from the
// private stack to main. Once by a store to nowhere, once by a private stack that is full.
// REQUIRES: gdb, core-files
// RUN: %heddle_cc -O1 -g %packets %s -o %t && %stage %t | FileCheck %s
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d && ulimit -c unlimited
// RUN: (%t.heddle null > out || [ $? = 139 ]) && gdb -batch -nx -ex bt -ex "print packet->id" %t.heddle core* | FileCheck %s --check-prefix=NULL
// RUN: rm core* && (%t.heddle deep > out || [ $? = 139 ]) && gdb -batch -nx -ex "bt -9" %t.heddle core* | FileCheck %s --check-prefix=DEEP
#include "packets.h"

static const char *how = "";
static uint32_t *volatile nowhere; // for all that the compiler knows, somewhere

__attribute__((noinline)) static uint32_t deeper(struct rte_mbuf *packet, volatile uint32_t *outer) {
  volatile uint32_t here[1024];
  here[packet->id] = *outer + 1;
  return deeper(packet, here) + here[0];
}

__attribute__((noinline)) static void store(struct rte_mbuf *packet, uint32_t x) {
  uint32_t *place = packet->id == 122 && *how == 'n' ? nowhere : &packet->out[0];
  *place = x;
  if (packet->id == 122 && *how == 'd') packet->out[1] = deeper(packet, &x);
}

__attribute__((noinline)) static void last_phase(struct rte_mbuf *packet, uint32_t x) {
  store(packet, work(packet, x));
  packet->out[2] = x;
}

int main(int count, char **arguments) {
  struct rte_mbuf *packets[32];
  int n;
  if (count > 1) how = arguments[1];
  while ((n = rte_eth_rx_burst(0, 0, packets, 32)) > 0)
    for (int i = 0; i < n; i++) last_phase(packets[i], work(packets[i], packets[i]->id));
  printf("digest %u\n", digest(0));
  show_crossings();
  return 0;
}
// CHECK: sites (
// CHECK: outputs: identical
// NULL: terminated with signal SIGSEGV
// NULL: #0 {{.*}}store
// NULL: last_phase
// NULL: heddle.body
// NULL: heddle_start
// NULL: heddle_run_loop
// NULL: main (
// NULL: = 122
// DEEP: deeper
// DEEP: store
// DEEP: last_phase
// DEEP: heddle_start
// DEEP: heddle_run_loop
// DEEP: main (
