// Packets taken one by one: header and bytes are the packet's own, and stay what they are until the next packet is taken from
// the same handle, also past the end of the loop and through a loop over another capture. Nothing is taken ahead from a
// pipe. The end of the file, or an error, comes when all packets before it have ended.
// RUN: %clang -O2 %s %rt -lpcap -o %t && cd %T
// RUN: env HEDDLE_BATCH=4 %t %t.pcap file | FileCheck %s --check-prefix=FILE
// RUN: env HEDDLE_BATCH=1 %t %t.pcap file | FileCheck %s --check-prefix=OFF
// RUN: env HEDDLE_BATCH=4 %t %t.pcap next | FileCheck %s --check-prefix=FILE
// RUN: rm -f %t.fifo && mkfifo %t.fifo && (cat %t.pcap > %t.fifo & env HEDDLE_BATCH=4 %t %t.fifo pipe | FileCheck %s --check-prefix=PIPE)
// RUN: env HEDDLE_BATCH=4 %t %t.pcap cut | FileCheck %s --check-prefix=CUT
// RUN: env HEDDLE_BATCH=4 %t %t.pcap kept | FileCheck %s --check-prefix=KEPT
// RUN: env HEDDLE_BATCH=4 %t %t.pcap dropped | FileCheck %s --check-prefix=DROPPED
#include "staged.h"

#include <malloc.h>
#include <pcap/pcap.h>
#include <unistd.h>

static pcap_t* in;
static int kind, stop_at = -1, quiet;
static long wrong, taken;
static struct pcap_pkthdr* last_header;
static const unsigned char* last_data;

static int take_one(struct pcap_pkthdr** header, const unsigned char** data) {
  static struct pcap_pkthdr own[16];
  if (kind != 'n') return heddle_pcap_next_ex(in, header, data);
  *header = &own[taken % 16];
  *data = heddle_pcap_next(in, *header);
  return *data != NULL ? 1 : -2;
}

static void check(const struct pcap_pkthdr* header, const unsigned char* data) {
  wrong += header->caplen != 60u + data[0] % 16 || header->len != 1000u;
  for (unsigned i = 1; i < header->caplen; ++i)
    wrong += data[i] != data[0];
}

static int body(void* env) {
  struct pcap_pkthdr* header;
  const unsigned char* data;
  (void)env;
  const int got = take_one(&header, &data);
  if (got != 1) {
    printf(" got %d", got);
    return 1;
  }
  ++taken;
  const int number = data[0];
  if (number == stop_at) {
    last_header = header;
    last_data = data;
    return 2;
  }
  if (kind == 'd' && taken > 1) return 0; // the first one waits for all others
  if (!quiet) printf(" %da", number);
  HEDDLE_SITE(1);
  check(header, data);
  HEDDLE_SITE(2);
  check(header, data);
  if (!quiet) printf(" %db", number);
  return 0;
}

static void write_capture(const char* path, int count) {
  pcap_t* dead = pcap_open_dead(DLT_EN10MB, 65535);
  pcap_dumper_t* out = pcap_dump_open(dead, path);
  for (int i = 0; i < count; ++i) {
    unsigned char bytes[80];
    memset(bytes, i, sizeof bytes);
    struct pcap_pkthdr header = {{i, 0}, 60 + (i & 255) % 16, 1000};
    pcap_dump((unsigned char*)out, &header, bytes);
  }
  pcap_dump_close(out);
  pcap_close(dead);
}

int main(int count, char** arguments) {
  char error[PCAP_ERRBUF_SIZE];
  const char* path = arguments[1];
  kind = arguments[2][0];
  if (kind != 'p') write_capture(path, kind == 'd' ? 100000 : kind == 'k' ? 10 : 6);
  if (kind == 'c' && truncate(path, 24 + 3 * (16 + 60) + 1 + 2 + 30)) return 1;
  in = pcap_open_offline(path, error);
  if (kind == 'k') { // leave with a packet in hand, go through another capture, and look at it
    stop_at = 7;
    quiet = 1;
    heddle_run_loop(body, NULL, -1);
    pcap_t* first = in;
    stop_at = -1;
    for (int i = 0; i < 3; ++i) {
      in = pcap_open_offline(path, error);
      heddle_run_loop(body, NULL, -1);
    }
    check(last_header, last_data);
    printf(" kept %d wrong %ld, then", last_data[0], wrong);
    in = first;
    quiet = 0;
  }
  heddle_run_loop(body, NULL, -1);
  printf(" wrong %ld %s\n", wrong, pcap_geterr(in));
  if (kind == 'd') printf("%s memory\n", mallinfo2().uordblks < 2000000 ? "little" : "much");
  return 0;
}
// FILE: {{^}} 0a 1a 2a 3a 0b 1b 2b 3b 4a 5a 4b 5b got -2 wrong 0
// OFF: {{^}} 0a 0b 1a 1b 2a 2b 3a 3b 4a 4b 5a 5b got -2 wrong 0
// CUT: {{^}} 0a 1a 2a 0b 1b 2b got -1 wrong 0 truncated dump file
// PIPE: {{^}} 0a 0b 1a 1b 2a 2b 3a 3b 4a 4b 5a 5b got -2 wrong 0
// KEPT: kept 7 wrong 0, then 8a 9a 8b 9b got -2 wrong 0
// DROPPED: wrong 0
// DROPPED: little memory
