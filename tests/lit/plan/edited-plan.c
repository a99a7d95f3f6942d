// An edited plan is checked against the windows before it is applied; what heddle plan wrote is not checked twice.
// RUN: mkdir -p %t && %heddle_cc -O2 %s -lpcap -o %t/count && %t/count %t/in.pcap write
// RUN: %heddle profile %t/count -- %t/in.pcap
// RUN: %heddle plan %t/count --policy finest -o %t/plan.json
// RUN: %heddle build %t/count --plan %t/plan.json -o %t/out 2>&1 | FileCheck %s --check-prefix=AS-WRITTEN
// AS-WRITTEN-NOT: check of the edited plan
// AS-WRITTEN: heddle: build: {{.*}}out
//
// Formatting is no edit.
// RUN: cp %t/plan.json %t/formatted.json && %python %S/Inputs/edit.py %t/formatted.json format
// RUN: %heddle build %t/count --plan %t/formatted.json -o %t/out 2>&1 | FileCheck %s --check-prefix=AS-WRITTEN
//
// A counter that is updated in two stages is legal by the relaxation commutative only.
// RUN: rm %t/out && cp %t/plan.json %t/without.json && %python %S/Inputs/edit.py %t/without.json without commutative
// RUN: not %heddle build %t/count --plan %t/without.json -o %t/out 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: error: {{.*}} divides the window of work
// WITHOUT: hint: remove that site
// RUN: not ls %t/out
//
// RUN: cp %t/plan.json %t/unknown.json && %python %S/Inputs/edit.py %t/unknown.json unknown-block
// RUN: not %heddle build %t/count --plan %t/unknown.json -o %t/out 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: the site of stage 1 {{.*}} lies on no edge of the body
//
// Fewer cuts are as legal.
// RUN: cp %t/plan.json %t/fewer.json && %python %S/Inputs/edit.py %t/fewer.json fewer-sites
// RUN: %heddle build %t/count --plan %t/fewer.json -o %t/out 2>&1 | FileCheck %s --check-prefix=FEWER
// FEWER: check of the edited plan: every cut is legal
// RUN: %heddle verify %t/count --optimized %t/out -- %t/in.pcap
//
// Without the profile that it was made with, nothing can be checked.
// RUN: mv %t/count.heddle.d/profile.hprof %t/moved
// RUN: not %heddle build %t/count --plan %t/fewer.json -o %t/out2 2>&1 | FileCheck %s --check-prefix=NO-PROFILE
// NO-PROFILE: error: {{.*}}profile.hprof
// NO-PROFILE: hint:
// RUN: %heddle build %t/count --plan %t/fewer.json --profile %t/moved -o %t/out2
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

static unsigned long work;

__attribute__((noinline)) static unsigned first(const u_char *data, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; ++i) sum = sum * 31 + data[i];
  work += n;
  return sum;
}

__attribute__((noinline)) static unsigned second(const u_char *data, unsigned n) {
  unsigned sum = 1;
  for (unsigned i = n; i-- > 0;) sum = (sum << 3 | sum >> 29) ^ data[i];
  work += sum & 1;
  return sum;
}

static void got_packet(u_char *user, const struct pcap_pkthdr *header, const u_char *data) {
  unsigned a = first(data, header->caplen), b = second(data, header->caplen);
  printf("%u\n", a ^ b);
}

static int write_capture(const char *path) {
  u_char bytes[200] = {1, 2, 3};
  pcap_dumper_t *out = pcap_dump_open(pcap_open_dead(DLT_EN10MB, 65535), path);
  if (!out) return 1;
  for (unsigned i = 0; i < 200; ++i) {
    struct pcap_pkthdr header = {{i, 0}, 60 + i % 100, 60 + i % 100};
    bytes[i % 50] += i;
    pcap_dump((u_char *)out, &header, bytes);
  }
  pcap_dump_close(out);
  return 0;
}

int main(int argc, char **argv) {
  char error[PCAP_ERRBUF_SIZE];
  if (argc > 2) return write_capture(argv[1]);
  pcap_t *in = argc > 1 ? pcap_open_offline(argv[1], error) : NULL;
  if (!in) return 1;
  pcap_loop(in, -1, got_packet, NULL);
  printf("%lu\n", work);
  return 0;
}
