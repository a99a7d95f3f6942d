// What packets of a capture carry.
#pragma once

#include <cstdint>
#include <vector>

namespace lookup {

struct Payload {
  const uint8_t* bytes;
  uint32_t length;
  uint64_t header; // protocol and ports
};

struct Payloads {
  std::vector<uint8_t> file;
  std::vector<Payload> list; // of all TCP and UDP packets over IPv4 and IPv6 that carry something
};

// Of DATA/traffic-mix.pcap (Ethernet). Empty: it could not be read.
Payloads read_payloads(const char* data);

} // namespace lookup
