// Answers frames that it captures, one pcap_next_ex per iteration. Each answer carries a digest of the request.
// usage: capture_server INTERFACE wait|dontwait
#include <arpa/inet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "frames.h"
#include "heddle/heddle.h"
// Only the optimized program has it.
#pragma weak heddle_get_counters

static void serve(pcap_t* in, int out) {
  struct pcap_pkthdr* header;
  const u_char* data;
  int got;
  while ((got = pcap_next_ex(in, &header, &data)) >= 0) {
    if (got == 0 || header->caplen < 64 || header->caplen > 256) continue;
    if (data[12] != REQUEST >> 8 || data[13] != (REQUEST & 0xff)) continue;
    if (memcmp(data + HEAD, "stop", 4) == 0) break;
    u_char answer[256];
    uint32_t digest = digest_of(data, header->caplen);
    make_answer(answer, data, header->caplen, digest);
    account(data[HEAD], header->caplen);
    send(out, answer, header->caplen, 0);
  }
}

int main(int count, char** arguments) {
  char error[PCAP_ERRBUF_SIZE] = "usage: capture_server INTERFACE wait|dontwait";
  pcap_t* in = count > 2 ? pcap_open_live(arguments[1], 2048, 1, 20, error) : NULL;
  if (!in || (!strcmp(arguments[2], "dontwait") && pcap_setnonblock(in, 1, error))) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  struct sockaddr_ll here = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(arguments[1])};
  int out = socket(AF_PACKET, SOCK_RAW, 0);
  if (out < 0 || bind(out, (struct sockaddr*)&here, sizeof here)) return 1;
  fprintf(stderr, "ready\n");
  serve(in, out);
  for (int i = 0; i < KEYS; i++)
    printf("%d: %u requests, %u bytes\n", i, keys[i].requests, keys[i].bytes);
  struct heddle_counters counters;
  if (getenv("SHOW_CROSSINGS") && heddle_get_counters) {
    heddle_get_counters(&counters);
    fprintf(stderr, "crossings %llu in %llu batches of %llu packets\n",
            (unsigned long long)counters.crossings, (unsigned long long)counters.batches,
            (unsigned long long)counters.packets);
  }
  return 0;
}
