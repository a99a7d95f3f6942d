// pcap_loop and pcap_dispatch: counts, packet bytes, breakloop and end of file as without staging.
// RUN: %clang -O2 %s %rt -lpcap -o %t && cd %T
// RUN: env HEDDLE_BATCH=1 %t %t.pcap > %t.off && env HEDDLE_BATCH=4 %t %t.pcap > %t.four
// RUN: env HEDDLE_BATCH=32 %t %t.pcap > %t.all
// RUN: cmp %t.off %t.four && cmp %t.off %t.all && FileCheck %s < %t.all
// RUN: env HEDDLE_BATCH=4 %t %t.pcap order | FileCheck %s --check-prefix=ORDER
#include "staged.h"

#include <pcap/pcap.h>

static pcap_t* capture;
static int break_at, order;
static long sums[2];

static void process(unsigned char* user, const struct pcap_pkthdr* header, const unsigned char* data) {
  int number = data[0];
  if (order) printf(" %da", number);
  if (number == break_at) pcap_breakloop(capture);
  HEDDLE_SITE(1);
  if (order) printf(" %db", number);
  if (*user != 'u' || header->caplen != 60u + number || header->len != 1000u) sums[1]++;
  for (unsigned i = 0; i < header->caplen; ++i)
    sums[1] += data[i] != number;
  HEDDLE_SITE(2);
  if (order) printf(" %dc", number);
  sums[0] += number;
}

static int body(void* env) {
  struct heddle_pcap_packet* packet = env;
  process(packet->user, packet->header, packet->data);
  return 0;
}

static void write_capture(const char* path) {
  pcap_t* dead = pcap_open_dead(DLT_EN10MB, 65535);
  pcap_dumper_t* out = pcap_dump_open(dead, path);
  for (int i = 0; i < 10; ++i) {
    unsigned char bytes[80];
    memset(bytes, i, sizeof bytes);
    struct pcap_pkthdr header = {{i, 0}, 60 + i, 1000};
    pcap_dump((unsigned char*)out, &header, bytes);
  }
  pcap_dump_close(out);
  pcap_close(dead);
}

static void run(const char* path, int dispatch, int count, int stop) {
  char error[PCAP_ERRBUF_SIZE];
  unsigned char user = 'u';
  capture = pcap_open_offline(path, error);
  sums[0] = sums[1] = 0;
  break_at = stop;
  int got = (dispatch ? heddle_pcap_dispatch : heddle_pcap_loop)(capture, count, body, &user, (void*)process);
  printf("%s %d break %d: %d sum %ld bad %ld\n", dispatch ? "dispatch" : "loop", count, stop, got, sums[0],
         sums[1]);
  pcap_close(capture);
}

int main(int count, char** arguments) {
  write_capture(arguments[1]);
  order = count > 2;
  run(arguments[1], 0, order ? 6 : -1, -1);
  if (order) return 0;
  run(arguments[1], 0, 7, -1);
  run(arguments[1], 0, 50, -1);
  run(arguments[1], 0, 0, 5);
  run(arguments[1], 1, -1, -1);
  run(arguments[1], 1, 3, -1);
  run(arguments[1], 1, -1, 6);
}
// CHECK: loop -1 break -1: 0 sum 45 bad 0
// CHECK: loop 7 break -1: 0 sum 21 bad 0
// CHECK: loop 50 break -1: 0 sum 45 bad 0
// CHECK: loop 0 break 5: -2 sum 15 bad 0
// CHECK: dispatch -1 break -1: 10 sum 45 bad 0
// CHECK: dispatch 3 break -1: 3 sum 3 bad 0
// CHECK: dispatch -1 break 6: 7 sum 21 bad 0
// ORDER: 0a 1a 2a 3a 0b 1b 2b 3b 0c 1c 2c 3c 4a 5a 4b 5b 4c 5c
