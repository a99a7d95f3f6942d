// libpcap's loops with an outlined callback, and packets taken one by one. In an object file of its own, so that only programs that use them need
// libpcap. The staging runtime copies each packet; so what libpcap's own buffer holds is new memory every time.
#include "watch.h"

#include "runtime/keys.h"

#include <sys/time.h>

extern "C" {
struct pcap_pkthdr {
  struct timeval ts;
  uint32_t caplen;
  uint32_t len;
};
using pcap_handler = void (*)(unsigned char* user, const pcap_pkthdr* header, const unsigned char* data);
int pcap_loop(void* pcap, int count, pcap_handler callback, unsigned char* user);
int pcap_dispatch(void* pcap, int count, pcap_handler callback, unsigned char* user);
int pcap_next_ex(void* pcap, pcap_pkthdr** header, const unsigned char** data);
const unsigned char* pcap_next(void* pcap, pcap_pkthdr* header);
}

using namespace heddle::dependencies;

namespace {

using Read = int (*)(void*, int, pcap_handler, unsigned char*);

struct Loop {
  int (*body)(void* env);
  unsigned char* user;
};

void received(unsigned char* opaque, const pcap_pkthdr* header, const unsigned char* data) {
  auto& loop = *reinterpret_cast<Loop*>(opaque);
  Thread& thread = this_thread;
  heddle_pcap_packet packet = {loop.user, header, data};
  begin_packet(thread, __builtin_frame_address(0));
  new_memory(thread, header, sizeof *header);
  new_memory(thread, data, header->caplen);
  loop.body(&packet);
  end_packet(thread, 0);
}

int run(Read read, void* pcap, int count, int (*body)(void*), unsigned char* user, void* callback) {
  Thread& thread = this_thread;
  const bool inner = thread.watching && inside_packet(thread, __builtin_frame_address(0));
  if (inner || file == nullptr || count == 1 || batch_limit() <= 1) {
    if (!inner && file != nullptr) __atomic_fetch_add(&file->packets, 1, __ATOMIC_RELAXED);
    return read(pcap, count, reinterpret_cast<pcap_handler>(callback), user);
  }
  Loop loop = {body, user};
  end_batch(thread);
  thread.schedule = heddle::runtime::staged_body(body);
  const int result = read(pcap, count, received, reinterpret_cast<unsigned char*>(&loop));
  thread.watching = false;
  end_batch(thread);
  return result;
}

} // namespace

extern "C" {

int heddle_pcap_loop(void* pcap, int count, int (*body)(void* env), unsigned char* user, void* callback) {
  return run(pcap_loop, pcap, count, body, user, callback);
}

int heddle_pcap_dispatch(void* pcap, int count, int (*body)(void* env), unsigned char* user, void* callback) {
  return run(pcap_dispatch, pcap, count, body, user, callback);
}

int heddle_pcap_next_ex(void* pcap, pcap_pkthdr** header, const unsigned char** data) {
  const int got = pcap_next_ex(pcap, header, data);
  if (got == 1 && file != nullptr) {
    new_memory(this_thread, *header, sizeof **header);
    new_memory(this_thread, *data, (*header)->caplen);
  }
  return got;
}

const unsigned char* heddle_pcap_next(void* pcap, pcap_pkthdr* header) {
  const unsigned char* data = pcap_next(pcap, header);
  if (data != nullptr && file != nullptr) new_memory(this_thread, data, header->caplen);
  return data;
}
}
