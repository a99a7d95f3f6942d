// libpcap's loops with an outlined callback, and packets taken one by one. In a file of its own, so that only programs
// that use them need libpcap.
#include "../../runtime/runtime.h"
#include "packets.h"

typedef void (*pcap_callback)(unsigned char* user, const void* header, const unsigned char* data);
int pcap_loop(void* pcap, int count, pcap_callback callback, unsigned char* user);
int pcap_dispatch(void* pcap, int count, pcap_callback callback, unsigned char* user);
int pcap_next_ex(void* pcap, struct pcap_pkthdr** header, const unsigned char** data);
const unsigned char* pcap_next(void* pcap, struct pcap_pkthdr* header);

enum { batch_packets = 32 }; // as many as the staging runtime collects

struct loop {
  int (*body)(void* env);
  unsigned char* user;
  unsigned in_batch;
};

static void received(unsigned char* opaque, const void* header, const unsigned char* data) {
  struct loop* loop = (struct loop*)opaque;
  if (loop->in_batch++ % batch_packets == 0) heddle_profile_batch();
  struct heddle_pcap_packet packet = {loop->user, header, data};
  heddle_profile_packet(loop->body, &packet);
}

int heddle_pcap_loop(void* pcap, int count, int (*body)(void* env), unsigned char* user, void* callback) {
  (void)callback;
  struct loop loop = {body, user, 0};
  return pcap_loop(pcap, count, received, (unsigned char*)&loop);
}

int heddle_pcap_dispatch(void* pcap, int count, int (*body)(void* env), unsigned char* user, void* callback) {
  (void)callback;
  struct loop loop = {body, user, 0};
  return pcap_dispatch(pcap, count, received, (unsigned char*)&loop);
}

int heddle_pcap_next_ex(void* pcap, struct pcap_pkthdr** header, const unsigned char** data) {
  return pcap_next_ex(pcap, header, data);
}

const unsigned char* heddle_pcap_next(void* pcap, struct pcap_pkthdr* header) {
  return pcap_next(pcap, header);
}
