// The program looks at how far libpcap has read, which is further when packets are taken ahead.
// refused: capture-file-used
#include <pcap/pcap.h>
#include <stdio.h>

int main(int count, char **arguments) {
  char error[PCAP_ERRBUF_SIZE];
  pcap_t *in = pcap_open_offline(arguments[count - 1], error);
  struct pcap_pkthdr *header;
  const u_char *data;
  while (pcap_next_ex(in, &header, &data) == 1)
    printf("%u at %ld\n", header->len, ftell(pcap_file(in)));
  return 0;
}
