// Packets that libpcap hands out one by one, in memory that it uses again: to the checker each is new. Statistics per packet
// belong to the handle, in one stage with the receive.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %heddle_cc -g -O2 %packets %s -lpcap -o %t/p && %plan %t/p
// RUN: %heddle verify %t/p --dependencies | FileCheck %s
// CHECK: 301 packets
// CHECK: order: no dependence is reversed
// RUN: %heddle verify %t/p --dependencies --staged | FileCheck %s
//
// RUN: %heddle_cc -g -O2 %packets -DLATE %s -lpcap -o %t/s && %plan %t/s
// RUN: %heddle verify %t/s --dependencies | FileCheck %s
// RUN: %shift %t/s.heddle.d/plan.json 0 -2
// RUN: not %heddle verify %t/s --dependencies 2>/dev/null | FileCheck %s --check-prefix=SHIFTED
// SHIFTED: capture
// SHIFTED: (heddle_pcap_next_ex)
#include <pcap/pcap.h>
#include <unistd.h>

#include "packets.h"

static uint32_t digests[300];
static unsigned seen, without;

static void write_capture(const char *path) {
  u_char bytes[200] = {1, 2, 3};
  pcap_dumper_t *out = pcap_dump_open(pcap_open_dead(DLT_EN10MB, 65535), path);
  for (unsigned i = 0; i < 300; ++i) {
    struct pcap_pkthdr header = {{(long)i, 0}, 60 + i % 100, 60 + i % 100};
    bytes[i % 50] += (u_char)i;
    pcap_dump((u_char *)out, &header, bytes);
  }
  pcap_dump_close(out);
}

__attribute__((noinline)) static uint32_t digest_of(const u_char *data, uint32_t size) {
  uint32_t digest = size;
  for (uint32_t i = 0; i < size; i++) digest = mix(digest + data[i]);
  return digest;
}

__attribute__((noinline)) static void mark(u_char *data, uint32_t size) {
  for (uint32_t i = 0; i < size; i += 8) data[i] ^= (u_char)size; // in libpcap's own buffer
}

int main(void) {
  char error[PCAP_ERRBUF_SIZE], path[] = "/tmp/heddle-test-XXXXXX";
  close(mkstemp(path));
  write_capture(path);
  pcap_t *in = pcap_open_offline(path, error);
  unlink(path);
  if (!in) return 1;
  for (;;) {
    struct pcap_pkthdr *header;
    const u_char *data;
    if (pcap_next_ex(in, &header, &data) != 1) break;
    const unsigned number = seen++ % 300;
    uint32_t digest = digest_of(data, header->caplen);
    mark((u_char *)data, header->caplen);
    digest = mix(digest + digest_of(data, header->caplen));
#ifdef LATE
    struct pcap_stat statistics;
    without += pcap_stats(in, &statistics) < 0;
#endif
    digests[number] = digest;
  }
  for (unsigned i = 0; i < 300; i++) printf("%08x\n", digests[i]);
  printf("%u\n", without);
  return 0;
}
