// One packet per iteration, into variables in front of the loop; what is looked at after the loop is what the last call left.
// bodies: pcap_next_ex count_packets
// link: -lpcap
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_capture(int file) {
  unsigned head[] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1};
  dprintf(1, "%d\n", write(file, head, sizeof head) == sizeof head);
  for (unsigned i = 0; i < 4; i++) {
    unsigned char bytes[100];
    memset(bytes, 'a' + i, sizeof bytes);
    unsigned record[] = {i, 0, 60 + 10 * i, 60 + 10 * i};
    dprintf(1, "%d\n", write(file, record, sizeof record) == sizeof record);
    dprintf(1, "%d\n", write(file, bytes, 60 + 10 * i) == 60 + 10 * i);
  }
}

static void count_packets(pcap_t *in) {
  struct pcap_pkthdr *header = NULL;
  const u_char *data = (const u_char *)"nothing";
  int result;
  unsigned hash = 5381;
  while ((result = pcap_next_ex(in, &header, &data)) >= 0) {
    if (!result)
      continue;
    for (unsigned i = 0; i < header->caplen; i++)
      hash = hash * 33 + data[i];
    printf("%u %u\n", header->len, hash);
  }
  printf("%d: last %u %c\n", result, header->len, data[0]);
}

int main(void) {
  char error[PCAP_ERRBUF_SIZE], path[] = "/tmp/heddle-test-XXXXXX";
  int file = mkstemp(path);
  write_capture(file);
  pcap_t *in = pcap_open_offline(path, error);
  unlink(path);
  if (!in)
    return 1;
  count_packets(in);
  return 0;
}
