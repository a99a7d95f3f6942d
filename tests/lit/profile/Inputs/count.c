// A packet program on libpcap: `count write FILE [N]` makes a capture of 2,000 packets, every N-th (default: 4th) of them large, `count read FILE [crash|hang]`
// reads it.
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long sizes[4], packets;
static const char *trouble = "";

__attribute__((noinline)) static void small(const u_char *data, unsigned n) {
  for (unsigned i = 0; i < n; ++i) sizes[data[i] & 1]++;
}

__attribute__((noinline)) static void large(const u_char *data, unsigned n) {
  for (unsigned i = 0; i < n; i += 2) sizes[2 + (data[i] & 1)]++;
}

static void got_packet(u_char *user, const struct pcap_pkthdr *header, const u_char *data) {
  packets++;
  if (packets == 100 && strcmp(trouble, "crash") == 0) abort();
  if (packets == 100 && strcmp(trouble, "hang") == 0)
    for (;;) sleep(1);
  if (header->caplen < 100) small(data, header->caplen);
  else large(data, header->caplen);
}

static int write_capture(const char *path, unsigned n) {
  u_char bytes[200] = {1, 2, 3};
  pcap_dumper_t *out = pcap_dump_open(pcap_open_dead(DLT_EN10MB, 65535), path);
  if (!out) return 1;
  for (unsigned i = 0; i < 2000; ++i) {
    struct pcap_pkthdr header = {{i, 0}, i % n ? 60 : 200, i % n ? 60 : 200};
    bytes[i % 50] += i;
    pcap_dump((u_char *)out, &header, bytes);
  }
  pcap_dump_close(out);
  return 0;
}

int main(int argc, char **argv) {
  char error[PCAP_ERRBUF_SIZE];
  if (argc < 3) return 2;
  if (strcmp(argv[1], "write") == 0) return write_capture(argv[2], argc > 3 ? atoi(argv[3]) : 4);
  if (argc > 3) trouble = argv[3];
  pcap_t *in = pcap_open_offline(argv[2], error);
  if (!in) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  if (pcap_loop(in, -1, got_packet, NULL) < 0) return 1;
  printf("%lu packets: %lu %lu %lu %lu\n", packets, sizes[0], sizes[1], sizes[2], sizes[3]);
  return 0;
}
