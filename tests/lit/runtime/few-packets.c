// Datagrams in batches of fewer packets than staging is worth run by themselves, on the caller's stack, and later ones of more are
// staged again; all of them in order. The loop sends itself the next batch when the last packet of one is done.
// RUN: %clang -O2 %s %rt -o %t && %t | FileCheck %s
// RUN: env HEDDLE_LEAST_BATCH=1 %t | FileCheck %s --check-prefix=ALL
// RUN: env HEDDLE_LEAST_BATCH=100 %t | FileCheck %s --check-prefix=FEW
// RUN: env HEDDLE_BATCH=0 %t | FileCheck %s --check-prefix=NONE
// RUN: %t only-small | FileCheck %s --check-prefix=OTHER
#include "staged.h"

#include <sys/socket.h>
#include <unistd.h>

enum { SMALL = 1000, LARGE = 100, OF_LARGE = 8, STAGES = 3 };

static int sockets[2];
static int sent, sent_batches, large_batches, in_stage_1, done;

static int body(void* env);
static int other_body(void* env);
static const uint32_t last_ordered[STAGES] = {0, 1, 2};
const struct heddle_schedule heddle_schedules[] = {{body, "body", last_ordered, NULL, STAGES, 0, 4},
                                                   {other_body, "other", last_ordered, NULL, STAGES, 0, 0}};
const unsigned heddle_schedule_count = 2;

// A packet is its number, and whether its batch ends with it.
static void send_batch(void) {
  int packets = sent_batches < SMALL ? 1 : OF_LARGE;
  ++sent_batches;
  for (int i = 1; i <= packets; ++i) {
    int packet[2] = {sent++, i == packets};
    if (send(sockets[0], packet, sizeof packet, 0) < 0) abort();
  }
}

static int body(void* env) {
  (void)env;
  int packet[2];
  if (heddle_recv(sockets[1], packet, sizeof packet, 0) != sizeof packet) abort();
  if (packet[0] < 0) return 1;
  int number = packet[0];
  HEDDLE_SITE(1);
  if (number != in_stage_1++) abort();
  HEDDLE_SITE(2);
  if (number != done++) abort();
  if (!packet[1]) return 0;
  if (sent_batches < SMALL + large_batches) {
    send_batch();
  } else {
    int end[2] = {-1, 1};
    if (send(sockets[0], end, sizeof end, 0) < 0) abort();
  }
  return 0;
}

// All of its batches are staged, whatever those of the other loop were like.
static int other_body(void* env) {
  int packet = take(env);
  if (packet < 0) return 1;
  HEDDLE_SITE(1);
  done += packet < 0;
  return 0;
}

int main(int argc, char** argv) {
  (void)argv;
  large_batches = argc > 1 ? 0 : LARGE;
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) != 0) return 1;
  send_batch();
  heddle_run_loop(body, NULL, -1);
  struct heddle_counters counters;
  heddle_get_counters(&counters);
  printf("packets %d, %llu on stacks of their own\n", done, (unsigned long long)counters.packets);
  uint64_t before = counters.packets;
  struct loop loop = {0, 100};
  heddle_run_loop(other_body, &loop, -1);
  heddle_get_counters(&counters);
  printf("of the other loop %llu\n", (unsigned long long)(counters.packets - before));
}
// Of the small batches eight are tried, of two packets each; up to 256 packets pass until large ones are noticed.
// CHECK: packets 1800, {{[5-8][0-9][0-9]}} on
// ALL: packets 1800, 1801 on
// FEW: packets 1800, {{[1-5][0-9]}} on
// NONE: packets 1800, 0 on
// OTHER: packets 1000, {{[1-9][0-9]?}} on
// OTHER: of the other loop 101
