// The IPv6 header (RFC 8200): a router's checks.
#ifndef FORWARD_IPV6_H
#define FORWARD_IPV6_H

#include "bytes.h"
#include <stdbool.h>

enum {
  IPV6_HEADER = 40,
  IPV6_LENGTH = 4,
  IPV6_NEXT = 6,
  IPV6_HOP_LIMIT = 7,
  IPV6_SOURCE = 8,
  IPV6_DESTINATION = 24,
  IPV6_ADDRESS = 16,
};

// `all`: octets from the header on, at least IPV6_HEADER.
static inline bool ipv6_header_ok(const uint8_t* ip, unsigned all) {
  return ip[0] >> 4 == 6 && IPV6_HEADER + read16(ip + IPV6_LENGTH) <= all;
}

// Not ::, ::1 or others of ::/64, link-local, or multicast (RFC 4291 sections 2.5.2, 2.5.3, 2.5.6, 2.7): none of these leaves its link.
static inline bool ipv6_forwarded(const uint8_t* address) {
  uint64_t network = (uint64_t)read32(address) << 32 | read32(address + 4);
  return network != 0 && network >> 54 != 0xfe80 >> 6 && network >> 56 != 0xff;
}

// A header of UDP with an empty flow label.
static inline void ipv6_write(uint8_t* ip, uint16_t length, uint8_t hop_limit, const uint8_t* source,
                              const uint8_t* destination) {
  memset(ip, 0, IPV6_HEADER);
  ip[0] = 0x60;
  write16(ip + IPV6_LENGTH, length);
  ip[IPV6_NEXT] = 17;
  ip[IPV6_HOP_LIMIT] = hop_limit;
  memcpy(ip + IPV6_SOURCE, source, IPV6_ADDRESS);
  memcpy(ip + IPV6_DESTINATION, destination, IPV6_ADDRESS);
}

#endif
