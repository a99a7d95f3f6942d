// upf-pcapcmp A B: are two captures the same, packet by packet, apart from their time stamps?
// Exit status 0 if so, 1 with the first difference if not, 2 if one cannot be read.
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>

struct side {
  const char* path;
  pcap_t* pcap;
  struct pcap_pkthdr* header;
  const u_char* data;
  int got; // of pcap_next_ex: 1 packet, -2 end, -1 error
};

static bool open_side(struct side* s) {
  char error[PCAP_ERRBUF_SIZE];
  s->pcap = pcap_open_offline(s->path, error);
  if (!s->pcap) fprintf(stderr, "upf-pcapcmp: %s\n", error);
  return s->pcap != NULL;
}

static bool advance(struct side* s) {
  s->got = pcap_next_ex(s->pcap, &s->header, &s->data);
  if (s->got == PCAP_ERROR) fprintf(stderr, "upf-pcapcmp: %s: %s\n", s->path, pcap_geterr(s->pcap));
  return s->got != PCAP_ERROR;
}

// Says how two packets differ; false if they do not.
static bool differ(unsigned long n, const struct side* a, const struct side* b) {
  if (a->got != 1 || b->got != 1) {
    printf("packet %lu: only in %s\n", n, a->got == 1 ? a->path : b->path);
    return true;
  }
  if (a->header->len != b->header->len || a->header->caplen != b->header->caplen) {
    printf("packet %lu: length %u and %u\n", n, a->header->len, b->header->len);
    return true;
  }
  for (bpf_u_int32 i = 0; i < a->header->caplen; i++) {
    if (a->data[i] == b->data[i]) continue;
    printf("packet %lu: byte %u is 0x%02x and 0x%02x\n", n, i, a->data[i], b->data[i]);
    return true;
  }
  return false;
}

static int compare(struct side* a, struct side* b) {
  if (pcap_datalink(a->pcap) != pcap_datalink(b->pcap)) {
    printf("link types %d and %d\n", pcap_datalink(a->pcap), pcap_datalink(b->pcap));
    return 1;
  }
  for (unsigned long n = 1;; n++) {
    if (!advance(a) || !advance(b)) return 2;
    if (a->got != 1 && b->got != 1) return 0;
    if (differ(n, a, b)) return 1;
  }
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: upf-pcapcmp A B\n");
    return 2;
  }
  struct side a = {.path = argv[1]}, b = {.path = argv[2]};
  int status = open_side(&a) && open_side(&b) ? compare(&a, &b) : 2;
  if (a.pcap) pcap_close(a.pcap);
  if (b.pcap) pcap_close(b.pcap);
  return status;
}
