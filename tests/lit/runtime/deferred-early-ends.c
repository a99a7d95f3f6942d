// Packets that end without being suspended share the context with the one after them; what they have put off is made
// before that one's, also where libpcap has no further packet.
// RUN: %clang -O2 %s %rt -lpcap -o %t && cd %T
// RUN: for batch in 1 4 32; do env HEDDLE_BATCH=$batch %t %t.pcap > %t.$batch; done
// RUN: cmp %t.1 %t.4 && cmp %t.1 %t.32 && FileCheck %s < %t.32
#include "staged.h"

#include "runtime/deferred.h"

#include <pcap/pcap.h>

static void step(int number) {
  heddle_defer_printf(" %da", number);
  if (number % 4 != 0) return;
  HEDDLE_SITE(1);
  heddle_defer_printf(" %db", number);
}

static void process(unsigned char* user, const struct pcap_pkthdr* header, const unsigned char* data) {
  step(data[0]);
}

static int pcap_body(void* env) {
  struct heddle_pcap_packet* packet = env;
  process(packet->user, packet->header, packet->data);
  return 0;
}

static int loop_body(void* env) {
  int packet = take(env);
  if (packet < 0) return 7;
  step(packet);
  return 0;
}

static void write_capture(const char* path) {
  pcap_t* dead = pcap_open_dead(DLT_EN10MB, 65535);
  pcap_dumper_t* out = pcap_dump_open(dead, path);
  for (int i = 0; i < 11; ++i) {
    unsigned char bytes[80] = {i};
    struct pcap_pkthdr header = {{i, 0}, 60, 60};
    pcap_dump((unsigned char*)out, &header, bytes);
  }
  pcap_dump_close(out);
  pcap_close(dead);
}

int main(int count, char** arguments) {
  char error[PCAP_ERRBUF_SIZE];
  struct loop loop = {0, 11};
  if (count < 2) return 1;
  write_capture(arguments[1]);
  for (int again = 0; again < 2; ++again) {
    pcap_t* capture = pcap_open_offline(arguments[1], error);
    heddle_pcap_loop(capture, -1, pcap_body, NULL, (void*)process);
    pcap_close(capture);
    printf("\n");
  }
  heddle_run_loop(loop_body, &loop, -1);
  printf("\n");
}
// CHECK: {{^}} 0a 0b 1a 2a 3a 4a 4b 5a 6a 7a 8a 8b 9a 10a{{$}}
// CHECK-NEXT: {{^}} 0a 0b 1a 2a 3a 4a 4b 5a 6a 7a 8a 8b 9a 10a{{$}}
// CHECK-NEXT: {{^}} 0a 0b 1a 2a 3a 4a 4b 5a 6a 7a 8a 8b 9a 10a{{$}}
