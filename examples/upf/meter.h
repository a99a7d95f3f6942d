// Flow metering: what can be measured about a flow without understanding its payload, and the guess at its
// kind that a decision forest makes of it.
//
// The measurements follow IPFIX (RFC 7012: packet and octet deltas, minimum and maximum lengths, TCP control
// bits) and QoS monitoring of TS 23.501 section 5.33.3 (round-trip times). The guess serves encrypted and
// unknown traffic, where parsers see nothing.
#ifndef UPF_METER_H
#define UPF_METER_H

#include "upf.h"

struct rate {
  int32_t mean, deviation; // exponentially weighted, scaled by 8 and 4 as in RFC 6298
};

struct meter_side {
  uint32_t packets, octets;
  uint16_t min_len, max_len;
  struct rate len, gap;
  uint64_t last;
  uint32_t small, large; // payloads up to 64 octets, over 1200
  // TCP: one segment at a time is timed until its acknowledgement.
  uint32_t timed_end, last_ack, max_end;
  uint64_t timed_at;
  uint16_t duplicate_acks, zero_windows, reordered;
  uint8_t flags, max_ttl, min_ttl, tos;
  bool timing;
};

struct meter {
  struct meter_side side[2];
  struct rate rtt[2]; // towards the UE, towards the network
  uint64_t first;
  uint32_t min_gap, max_gap; // microseconds
  int16_t sizes[6];          // of the first payloads; downlink ones negative
  uint8_t nsizes, turns, last_dir;
  uint8_t lead[4]; // the first payload's first octets
};

enum { FEATURES = 40 };

// What the forest looks at.
struct features {
  int32_t value[FEATURES];
};

// Adds the packet to the flow's measurements and derives the features.
void meter_packet(struct meter* m, const struct pkt_ctx* c, struct features* out);

// The forest's verdict. The trees are compiled to code (forest_trees.c, made by model/train.py).
enum traffic_class forest_classify(const struct features* f, uint8_t* share);

const char* traffic_class_name(enum traffic_class class);
enum traffic_class traffic_class_by_name(const char* name); // CLASS_COUNT if unknown

#endif
