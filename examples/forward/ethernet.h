// Ethernet II, untagged (IEEE 802.3). All addresses are locally administered: 02:00:00:00:00:PP of port PP, 02:00:00:01:HH:HH of next
// hop HHHH.
#ifndef FORWARD_ETHERNET_H
#define FORWARD_ETHERNET_H

#include "bytes.h"

enum {
  ETHERNET_ADDRESS = 6,
  ETHERNET_HEADER = 14,
  ETHERNET_IPV4 = 0x0800,
  ETHERNET_IPV6 = 0x86dd,
  ETHERNET_NDN = 0x8624,
};

static inline void port_address(uint8_t* address, uint16_t port) {
  const uint8_t bytes[ETHERNET_ADDRESS] = {2, 0, 0, 0, (uint8_t)(port >> 8), (uint8_t)port};
  memcpy(address, bytes, sizeof bytes);
}

static inline void hop_address(uint8_t* address, uint16_t hop) {
  const uint8_t bytes[ETHERNET_ADDRESS] = {2, 0, 0, 1, (uint8_t)(hop >> 8), (uint8_t)hop};
  memcpy(address, bytes, sizeof bytes);
}

static inline uint16_t ethernet_type(const uint8_t* frame) {
  return read16(frame + 2 * ETHERNET_ADDRESS);
}

// A frame to a group (multicast, broadcast). No router forwards what came by one (RFC 1812 section 5.3.4).
static inline int to_group(const uint8_t* frame) {
  return frame[0] & 1;
}

// A frame that a port receives from its neighbour.
static inline void ethernet_received(uint8_t* frame, uint16_t port, uint16_t type) {
  port_address(frame, port);
  hop_address(frame + ETHERNET_ADDRESS, port);
  write16(frame + 2 * ETHERNET_ADDRESS, type);
}

#endif
