// pcap_dump, put off. In an object of its own: only programs that call it need libpcap.
#include "deferred.h"

#include "kept.h"

#include <string.h>
#include <sys/time.h>

extern "C" {
// From pcap.h, so that the runtime builds without libpcap's headers.
struct pcap_pkthdr {
  struct timeval ts;
  uint32_t caplen;
  uint32_t len;
};
void pcap_dump(unsigned char* dumper, const pcap_pkthdr* header, const unsigned char* data);
}

using namespace heddle::runtime;

namespace {

struct Dumped {
  unsigned char* dumper;
  pcap_pkthdr header;
};

void make_dump(unsigned char* payload) {
  const auto* call = reinterpret_cast<Dumped*>(payload);
  pcap_dump(call->dumper, &call->header, payload + sizeof(Dumped));
}

} // namespace

extern "C" void heddle_defer_pcap_dump(unsigned char* dumper, const void* header, const unsigned char* data) {
  SameErrno same;
  const auto& known = *static_cast<const pcap_pkthdr*>(header);
  KeptSlot slot(make_dump, sizeof(Dumped) + known.caplen);
  if (slot.payload() == nullptr) return pcap_dump(dumper, &known, data);
  *reinterpret_cast<Dumped*>(slot.payload()) = {dumper, known};
  memcpy(slot.payload() + sizeof(Dumped), data, known.caplen);
  slot.keep();
}
