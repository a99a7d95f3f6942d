// upf-fuzz-seeds UPLINK DOWNLINK PARSE-DIR PATH-DIR: turns a generated workload into seeds for both fuzzers.
// Flows matter little to a fuzzer, so a seed is one packet, or four neighbours.
#include "../tools/packet.h"
#include "inputs.h"
#include <pcap/pcap.h>
#include <stdlib.h>

enum { MOST = 3000 };

static void write_file(const char* dir, char kind, uint32_t n, const struct buf* b) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%c%05u", dir, kind, n);
  FILE* f = fopen(path, "wb");
  if (!f || fwrite(b->data, 1, b->len, f) != b->len || fclose(f)) {
    perror(path);
    exit(1);
  }
}

static void put_piece(struct buf* b, uint8_t flags, uint8_t choice, const uint8_t* data, uint32_t n) {
  put_u8(b, flags);
  put_u8(b, choice);
  put_u8(b, n);
  put_u8(b, n >> 8);
  put_bytes(b, data, n);
}

// The payload of a plain frame as a piece for parse_fuzzer.
static void put_payload(struct buf* b, const uint8_t* p, uint32_t n) {
  bool v6 = n > 14 && p[12] == 0x86;
  uint32_t header = v6 ? 40 : 20, at = 14 + header;
  if (n < at + 20 || (!v6 && p[14] != 0x45)) return;
  uint8_t proto = p[14 + (v6 ? 6 : 9)];
  uint32_t skip = proto == 17 ? 8 : proto == 6 ? (p[at + 12] >> 4) * 4u : 0;
  if (!skip || at + skip >= n) return;
  uint16_t port = read_u16(p + at);
  uint8_t choice = 0;
  for (unsigned i = 0; i < FUZZ_PORTS; i++)
    if (fuzz_ports[i] == port) choice = (uint8_t)i;
  put_piece(b, PARSE_FROM_SERVER | (proto == 6 ? PARSE_TCP : 0), choice, p + at + skip, n - at - skip);
}

static void convert(const char* path, bool uplink, const char* parse_dir, const char* path_dir) {
  char error[PCAP_ERRBUF_SIZE];
  struct pcap_pkthdr* h;
  const uint8_t* p;
  struct buf path_seed, parse_seed;
  pcap_t* in = pcap_open_offline(path, error);
  if (!in) {
    fprintf(stderr, "upf-fuzz-seeds: %s\n", error);
    exit(1);
  }
  path_seed.len = parse_seed.len = 0;
  for (uint32_t n = 0; n < MOST && pcap_next_ex(in, &h, &p) == 1; n++) {
    put_piece(&path_seed, uplink ? PATH_UPLINK : 0, 0, p, h->caplen);
    // On N6 the user's packet is plain: it also seeds the mode in which the fuzzer writes inner packets.
    if (!uplink && h->caplen > 14)
      put_piece(&path_seed, PATH_UPLINK | PATH_INNER | PATH_FIX, (uint8_t)n, p + 14, h->caplen - 14);
    if (!uplink) put_payload(&parse_seed, p, h->caplen);
    if (n % 4 && n % 8 < 4) continue;
    write_file(path_dir, uplink ? 'u' : 'd', n, &path_seed);
    if (parse_seed.len) write_file(parse_dir, 'p', n, &parse_seed);
    path_seed.len = parse_seed.len = 0;
  }
  pcap_close(in);
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: upf-fuzz-seeds UPLINK DOWNLINK PARSE-DIR PATH-DIR\n");
    return 2;
  }
  convert(argv[1], true, argv[3], argv[4]);
  convert(argv[2], false, argv[3], argv[4]);
  return 0;
}
