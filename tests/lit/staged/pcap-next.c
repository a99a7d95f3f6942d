// A loop with one pcap_next_ex or pcap_next per iteration: libpcap's memory is used again by its next call, so staged each
// packet keeps a copy. Output is the original's at every batch size, up to the end of the file, a file that is cut off, a
// loop that is left with a packet in hand, and what the handle says afterwards. From a pipe nothing is read ahead.
// RUN: %heddle_cc -O2 %packets %s -lpcap -o %t && %t write %t.in
// RUN: %heddle inspect %t | FileCheck %s --check-prefix=INSPECT
// RUN: %stage %t %t.in | FileCheck %s
// RUN: %stage %t %t.in find | FileCheck %s
// RUN: head -c 20000 %t.in > %t.cut && %stage %t %t.cut | FileCheck %s
// RUN: %t %t.in > %t.whole && cat %t.in | env SHOW_CROSSINGS=1 %t.heddle - > %t.piped 2> %t.crossed && cmp %t.whole %t.piped
// RUN: FileCheck %s --check-prefix=PIPED < %t.crossed
// RUN: for least in 2 6 40; do env HEDDLE_LEAST_BATCH=$least %t.heddle %t.in | cmp - %t.whole || exit 1; done
// RUN: %heddle_cc -O2 %packets -DNEXT %s -lpcap -o %t.next && %stage %t.next %t.in | FileCheck %s
// RUN: %stage %t.next %t.in find | FileCheck %s
// RUN: %heddle_cc -O2 %packets -DNEXT -DLAST %s -lpcap -o %t.last && %stage %t.last %t.in | FileCheck %s --check-prefix=LAST
// RUN: %heddle inspect %t.next | FileCheck %s --check-prefix=NEXT
// RUN: %heddle_cxx -x c++ -O2 %packets %s -lpcap -o %t.cxx && %stage %t.cxx %t.in | FileCheck %s
#include <pcap/pcap.h>

#include "packets.h"

static struct {
  uint32_t packets, bytes;
} flows[8];

struct work {
  uint32_t key, digest;
};

__attribute__((noinline)) static void parse(struct work *w, const struct pcap_pkthdr *header, const u_char *data) {
  w->key = data[0] ^ header->len;
  for (uint32_t i = w->digest = 0; i < header->caplen; i++) w->digest = mix(w->digest + data[i]);
}

__attribute__((noinline)) static void transform(struct work *w, const struct pcap_pkthdr *header, const u_char *data) {
  for (uint32_t i = 0; i < header->caplen; i += 3) w->digest ^= mix(data[i] + w->digest);
}

__attribute__((noinline)) static void account(const struct work *w, const struct pcap_pkthdr *header) {
  flows[w->key % 8].packets++;
  flows[w->key % 8].bytes += header->caplen;
}

static int write_capture(const char *path) {
  u_char bytes[200] = {1, 2, 3};
  pcap_dumper_t *out = pcap_dump_open(pcap_open_dead(DLT_EN10MB, 65535), path);
  if (!out) return 1;
  for (unsigned i = 0; i < 300; ++i) {
    struct pcap_pkthdr header = {{(long)i, 0}, 60 + i % 100, 60 + i % 100};
    bytes[i % 50] += (u_char)i;
    pcap_dump((u_char *)out, &header, bytes);
  }
  pcap_dump_close(out);
  return 0;
}

static void read_capture(pcap_t *in, int find) {
  struct pcap_pkthdr *header = NULL;
  const u_char *data = NULL, *found = NULL;
  int got = 1;
#ifdef NEXT
  struct pcap_pkthdr taken = {};
  header = &taken;
  while ((data = pcap_next(in, header))) {
#else
  while ((got = pcap_next_ex(in, &header, &data)) >= 0) {
    if (got == 0) continue;
#endif
    if (find && data[0] % 64 == 7) {
      found = data;
      break;
    }
    struct work w;
    parse(&w, header, data);
    transform(&w, header, data);
    account(&w, header);
    if (w.digest % 4 == 0) printf("%u %08x\n", header->caplen, w.digest);
  }
  if (found) printf("found %u\n", found[0]);
#if !defined(NEXT) || defined(LAST) // what the last packet left: no packet can have a header of its own then
  printf("last %u\n", header->caplen);
#endif
  printf("got %d %s\n", got, pcap_geterr(in));
}

int main(int count, char **arguments) {
  char error[PCAP_ERRBUF_SIZE];
  if (!strcmp(arguments[1], "write")) return write_capture(arguments[2]);
  pcap_t *in = pcap_open_offline(arguments[1], error);
  if (!in) return 1;
  read_capture(in, count > 2);
  for (int i = 0; i < 8; i++) printf("%d: %u packets, %u bytes\n", i, flows[i].packets, flows[i].bytes);
  show_crossings();
  return 0;
}
// INSPECT: packet body 0: pcap_next_ex at
// INSPECT-NEXT: loop       read_capture at
// NEXT: packet body 0: pcap_next at
// CHECK: sites (
// CHECK: transform
// CHECK: outputs: identical
// CHECK: crossings {{[1-9]}}
// CHECK: exit status 0
// PIPED: crossings
// LAST-NOT: into stage {{.*}}transform
// LAST: outputs: identical
