// The IPv4 header (RFC 791): checks of a router (RFC 1812 sections 5.2.2, 5.3.7), hop by hop changes.
#ifndef FORWARD_IPV4_H
#define FORWARD_IPV4_H

#include "bytes.h"
#include <stdbool.h>

enum {
  IPV4_HEADER = 20,
  IPV4_LENGTH = 2,
  IPV4_TTL = 8,
  IPV4_PROTOCOL = 9,
  IPV4_CHECKSUM = 10,
  IPV4_SOURCE = 12,
  IPV4_DESTINATION = 16,
};

static inline unsigned ipv4_header_octets(const uint8_t* ip) {
  return (ip[0] & 15) * 4u;
}

// `here`: octets in one piece from the header on, at least IPV4_HEADER; `all`: with further pieces.
static inline bool ipv4_header_ok(const uint8_t* ip, unsigned here, unsigned all) {
  unsigned header = ipv4_header_octets(ip), length = read16(ip + IPV4_LENGTH);
  return ip[0] >> 4 == 4 && header >= IPV4_HEADER && header <= here && length >= header && length <= all;
}

static inline uint16_t ipv4_sum(const uint8_t* ip) {
  uint32_t sum = 0;
  for (unsigned at = 0; at < ipv4_header_octets(ip); at += 2)
    sum += read16(ip + at);
  sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)(sum + (sum >> 16));
}

static inline bool ipv4_checksum_ok(const uint8_t* ip) {
  return ipv4_sum(ip) == 0xffff;
}

// Not 0/8, 127/8, multicast, reserved, or broadcast.
static inline bool ipv4_unicast(uint32_t address) {
  uint32_t network = address >> 24;
  return network != 0 && network != 127 && network < 224;
}

static inline void ipv4_set_checksum(uint8_t* ip) {
  write16(ip + IPV4_CHECKSUM, 0);
  write16(ip + IPV4_CHECKSUM, (uint16_t)~ipv4_sum(ip));
}

// One hop less to live; the checksum follows (RFC 1624, equation 3).
static inline void ipv4_age(uint8_t* ip) {
  uint32_t sum = (uint16_t)~read16(ip + IPV4_CHECKSUM) + 0xfeffu;
  ip[IPV4_TTL]--;
  write16(ip + IPV4_CHECKSUM, (uint16_t)~(sum + (sum >> 16)));
}

// A header without options, of UDP.
static inline void ipv4_write(uint8_t* ip, uint16_t length, uint8_t ttl, uint32_t source,
                              uint32_t destination) {
  memset(ip, 0, IPV4_HEADER);
  ip[0] = 0x45;
  write16(ip + IPV4_LENGTH, length);
  ip[IPV4_TTL] = ttl;
  ip[IPV4_PROTOCOL] = 17;
  write32(ip + IPV4_SOURCE, source);
  write32(ip + IPV4_DESTINATION, destination);
  ipv4_set_checksum(ip);
}

#endif
