// upf-apps CAPTURE: which applications the parsers see in a capture, by packets and by flows.
//
// Flows are pairs of endpoints. One line per application: name, flows with that verdict at the end, packets
// whose own payload showed it, malformed messages; then the protocols behind "other".
#include "../app.h"
#include "../app_other.h"
#include "link.h"
#include "packet.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1 << 20 };

struct entry {
  bool used;
  uint8_t proto;
  uint8_t low[18], high[18]; // address and port
  struct app_flow flow;
};

struct counts {
  uint64_t packets, payloads;
  uint64_t flows[APP_ID_COUNT], seen[APP_ID_COUNT], malformed[APP_ID_COUNT], others[OTHER_COUNT];
};

static struct entry* find_flow(struct entry* table, uint8_t proto, const uint8_t* low, const uint8_t* high) {
  uint32_t h = proto;
  for (int i = 0; i < 18; i++)
    h = (h ^ low[i]) * 16777619u, h = (h ^ high[i]) * 16777619u;
  for (uint32_t at = h & (TABLE - 1);; at = (at + 1) & (TABLE - 1)) {
    struct entry* e = &table[at];
    if (!e->used) {
      e->used = true;
      e->proto = proto;
      memcpy(e->low, low, 18);
      memcpy(e->high, high, 18);
      return e;
    }
    if (e->proto == proto && !memcmp(e->low, low, 18) && !memcmp(e->high, high, 18)) return e;
  }
}

static void look(struct entry* table, struct counts* c, const uint8_t* ip, uint32_t n) {
  bool v6 = n >= 40 && ip[0] >> 4 == 6;
  if (!v6 && (n < 20 || ip[0] >> 4 != 4)) return;
  uint32_t header = v6 ? 40 : (ip[0] & 15) * 4u;
  uint32_t total = v6 ? 40u + read_u16(ip + 4) : read_u16(ip + 2);
  uint8_t proto = ip[v6 ? 6 : 9];
  if (total < n) n = total;
  if ((proto != 6 && proto != 17) || header + 8 > n || (!v6 && (read_u16(ip + 6) & 0x1fff))) return;
  if (proto == 6 && header + 20 > n) return;
  uint32_t at = header + (proto == 17 ? 8 : (ip[header + 12] >> 4) * 4u);
  c->packets++;
  if (at >= n) return;
  uint8_t ends[2][18] = {{0}};
  memcpy(ends[0], ip + (v6 ? 8 : 12), v6 ? 16 : 4);
  memcpy(ends[1], ip + (v6 ? 24 : 16), v6 ? 16 : 4);
  memcpy(ends[0] + 16, ip + header, 2);
  memcpy(ends[1] + 16, ip + header + 2, 2);
  bool swapped = memcmp(ends[0], ends[1], 18) > 0;
  struct entry* e = find_flow(table, proto, ends[swapped], ends[!swapped]);
  struct app_input in = {ip + at, n - at, proto, swapped, read_u16(ip + header), read_u16(ip + header + 2)};
  struct app_info info;
  app_parse(&in, &info);
  app_flow_update(&e->flow, &info, swapped);
  c->payloads++;
  if (info.confidence) c->seen[info.app]++;
  c->malformed[info.app] += info.malformed;
}

static void print(const struct entry* table, struct counts* c) {
  uint32_t flows = 0;
  for (uint32_t i = 0; i < TABLE; i++) {
    if (!table[i].used) continue;
    flows++;
    c->flows[table[i].flow.app]++;
    if (table[i].flow.app == APP_OTHER) c->others[table[i].flow.pad[0]]++;
  }
  printf("packets %llu payloads %llu flows %u\n", (unsigned long long)c->packets,
         (unsigned long long)c->payloads, flows);
  for (int a = 0; a < APP_ID_COUNT; a++)
    printf("%-12s flows %6llu packets %7llu malformed %5llu\n", app_name((enum app_id)a),
           (unsigned long long)c->flows[a], (unsigned long long)c->seen[a],
           (unsigned long long)c->malformed[a]);
  for (int o = 0; o < OTHER_COUNT; o++)
    if (c->others[o])
      printf("other/%-10s flows %6llu\n", app_other_name((enum app_other)o),
             (unsigned long long)c->others[o]);
}

int main(int argc, char** argv) {
  char error[PCAP_ERRBUF_SIZE];
  struct pcap_pkthdr* h;
  const uint8_t* p;
  int got;
  if (argc != 2) {
    fprintf(stderr, "usage: upf-apps CAPTURE\n");
    return 2;
  }
  struct entry* table = calloc(TABLE, sizeof *table);
  struct counts counts = {0};
  pcap_t* in = pcap_open_offline(argv[1], error);
  if (!in || !table) {
    fprintf(stderr, "upf-apps: %s\n", in ? "out of memory" : error);
    free(table);
    return 1;
  }
  while ((got = pcap_next_ex(in, &h, &p)) == 1 && counts.packets < TABLE / 2) {
    uint32_t at = find_ip(pcap_datalink(in), p, h->caplen);
    if (at < h->caplen) look(table, &counts, p + at, h->caplen - at);
  }
  if (got == PCAP_ERROR) fprintf(stderr, "upf-apps: %s: %s\n", argv[1], pcap_geterr(in));
  print(table, &counts);
  pcap_close(in);
  free(table);
  return got == PCAP_ERROR;
}
