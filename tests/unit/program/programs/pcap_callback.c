// bodies: pcap_loop count_packet
// link: -lpcap
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

struct totals {
  long packets, bytes;
  unsigned hash;
};

static void count_packet(u_char *user, const struct pcap_pkthdr *header, const u_char *data) {
  struct totals *totals = (struct totals *)user;
  totals->packets++;
  totals->bytes += header->len;
  for (unsigned i = 0; i < header->caplen; i++)
    totals->hash = totals->hash * 33 + data[i];
}

int main(void) {
  // A capture of four packets, written here so that the test needs no file.
  FILE *file = tmpfile();
  unsigned head[] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1};
  fwrite(head, sizeof head, 1, file);
  for (unsigned i = 0; i < 4; i++) {
    unsigned char bytes[100];
    memset(bytes, 'a' + i, sizeof bytes);
    unsigned record[] = {i, 0, 60 + 10 * i, 60 + 10 * i};
    fwrite(record, sizeof record, 1, file);
    fwrite(bytes, 60 + 10 * i, 1, file);
  }
  rewind(file);
  char error[PCAP_ERRBUF_SIZE];
  pcap_t *pcap = pcap_fopen_offline(file, error);
  if (!pcap)
    return 1;
  struct totals totals = {0, 0, 5381};
  int result = pcap_loop(pcap, -1, count_packet, (u_char *)&totals);
  printf("%d: %ld packets, %ld bytes, %u\n", result, totals.packets, totals.bytes, totals.hash);
  return 0;
}
