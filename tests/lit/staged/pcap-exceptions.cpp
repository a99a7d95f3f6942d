// Exceptions in a libpcap callback: caught inside, with packets suspended around it; and one that leaves through
// pcap_loop, after which the next loop goes on with the capture.
// RUN: %heddle_cxx -O2 %packets %s -lpcap -o %t && %t write %t.pcap
// RUN: %stage %t read %t.pcap | FileCheck %s
// RUN: %stage %t read %t.pcap leave | FileCheck %s
#include "packets.h"

#include <pcap/pcap.h>

static unsigned long sums[4], caught, packets;
static bool leave;

__attribute__((noinline)) static void small(const u_char *data, unsigned count) noexcept {
  for (unsigned i = 0; i < count; i++) sums[data[i] & 1]++;
}

__attribute__((noinline)) static void check(const u_char *data) {
  if (data[0] % 7 == 3) throw int(data[0]);
}

__attribute__((noinline)) static void large(const u_char *data, unsigned count) noexcept {
  for (unsigned i = 0; i < count; i += 2) sums[2 + (data[i] & 1)]++;
}

static void got_packet(u_char *, const pcap_pkthdr *header, const u_char *data) {
  packets++;
  if (leave && packets == 1000) throw 'x';
  small(data, header->caplen);
  try {
    check(data);
  } catch (int) {
    caught++;
  }
  large(data, header->caplen);
}

static int write_capture(const char *path) {
  u_char bytes[200] = {1, 2, 3};
  pcap_dumper_t *out = pcap_dump_open(pcap_open_dead(DLT_EN10MB, 65535), path);
  for (unsigned i = 0; out && i < 2000; i++) {
    pcap_pkthdr header = {{i, 0}, i % 4 ? 60u : 200u, 200};
    bytes[i % 50] += i;
    pcap_dump(reinterpret_cast<u_char *>(out), &header, bytes);
  }
  if (out) pcap_dump_close(out);
  return out == nullptr;
}

int main(int count, char **arguments) {
  char error[PCAP_ERRBUF_SIZE];
  if (!strcmp(arguments[1], "write")) return write_capture(arguments[2]);
  leave = count > 3;
  pcap_t *in = pcap_open_offline(arguments[2], error);
  if (!in) return 1;
  try {
    pcap_loop(in, -1, got_packet, nullptr);
  } catch (char letter) {
    printf("left by %c\n", letter);
    pcap_loop(in, 50, got_packet, nullptr);
  }
  printf("%lu packets, %lu caught: %lu %lu %lu %lu\n", packets, caught, sums[0], sums[1], sums[2], sums[3]);
  show_crossings();
}
// CHECK: sites (
// CHECK: {{ large +\(context}}
// CHECK: outputs: identical
// CHECK: exit status 0
