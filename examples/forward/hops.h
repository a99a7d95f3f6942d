// Next hops: the Ethernet header that a frame leaves with, and the port.
#ifndef FORWARD_HOPS_H
#define FORWARD_HOPS_H

#include "ethernet.h"

enum { HOPS = 256 };

struct hop {
  uint8_t destination[ETHERNET_ADDRESS], source[ETHERNET_ADDRESS];
  uint16_t port;
};

// Hop N is behind port N modulo `ports`.
static inline void hops_fill(struct hop hops[HOPS], unsigned ports) {
  for (unsigned i = 0; i < HOPS; i++) {
    hops[i].port = (uint16_t)(i % ports);
    hop_address(hops[i].destination, (uint16_t)i);
    port_address(hops[i].source, hops[i].port);
  }
}

// Readdresses a frame; its type stays.
static inline uint16_t hop_take(const struct hop* hop, uint8_t* frame) {
  memcpy(frame, hop->destination, ETHERNET_ADDRESS);
  memcpy(frame + ETHERNET_ADDRESS, hop->source, ETHERNET_ADDRESS);
  return hop->port;
}

#endif
