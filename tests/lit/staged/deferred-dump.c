// libpcap's dumps are put off like other output.
// RUN: mkdir -p %t.d && %heddle_cc -O2 %s -lpcap -o %t && %t write %t.d/in.pcap
// RUN: %heddle profile %t -- %t.d/in.pcap %t.d/a.pcap && %heddle plan %t --policy finest --budget 1K --print | FileCheck %s
// RUN: %heddle build %t && %t %t.d/in.pcap %t.d/a.pcap
// RUN: for batch in 0 1 8 32; do env HEDDLE_BATCH=$batch %t.heddle %t.d/in.pcap %t.d/b.pcap && cmp %t.d/a.pcap %t.d/b.pcap; done
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

static pcap_dumper_t *out;

__attribute__((noinline)) static unsigned sum(const u_char *data, unsigned n, unsigned seed) {
  for (unsigned i = 0; i < n; ++i) seed = seed * 31 + data[i];
  return seed;
}

static void got_packet(u_char *user, const struct pcap_pkthdr *header, const u_char *data) {
  struct pcap_pkthdr changed = *header;
  u_char copy[200];
  changed.len = sum(data, header->caplen, 1);
  pcap_dump((u_char *)out, &changed, data);
  if (header->caplen % 4 == 1) return;
  changed.len = sum(data, header->caplen, changed.len);
  memcpy(copy, data, header->caplen);
  copy[0] ^= changed.len;
  pcap_dump((u_char *)out, &changed, copy);
  memset(copy, 0, sizeof copy);
  changed.len = sum(data, header->caplen, changed.len);
  pcap_dump((u_char *)out, &changed, data);
}

static int write_capture(const char *path) {
  u_char bytes[200] = {1, 2, 3};
  out = pcap_dump_open(pcap_open_dead(DLT_EN10MB, 65535), path);
  if (!out) return 1;
  for (unsigned i = 0; i < 300; ++i) {
    struct pcap_pkthdr header = {{i, 0}, 60 + i % 100, 60 + i % 100};
    bytes[i % 50] += i;
    pcap_dump((u_char *)out, &header, bytes);
  }
  pcap_dump_close(out);
  return 0;
}

int main(int argc, char **argv) {
  char error[PCAP_ERRBUF_SIZE];
  if (argc < 3) return 1;
  if (strcmp(argv[1], "write") == 0) return write_capture(argv[2]);
  pcap_t *in = pcap_open_offline(argv[1], error);
  if (!in) return 1;
  out = pcap_dump_open(in, argv[2]);
  pcap_loop(in, -1, got_packet, NULL);
  pcap_dump_close(out);
  return 0;
}
// CHECK: into stage 2
// CHECK: calls for output kept with the packet (3)
// CHECK-NEXT: pcap_dump
