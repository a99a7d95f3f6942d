// Where a workload goes: two captures and a session file.
#ifndef UPF_TOOLS_OUTPUT_H
#define UPF_TOOLS_OUTPUT_H

#include "packet.h"
#include <pcap/pcap.h>
#include <stdio.h>

struct output {
  pcap_t* dead;           // describes the link type of both captures
  pcap_dumper_t* dump[2]; // by direction: 0 downlink (N6), 1 uplink (N3)
  struct rng
      rng;      // for tunnel variety and damage; apart from the traffic's, so that neither disturbs the other
  uint32_t ues; // sessions with traffic; user k has session k
  double malformed; // share of packets to damage
  double control;   // share of GTP-U control messages among uplink packets
  bool fix_checksums;
  uint64_t packets[2], damaged, controls;
  uint32_t* sequence; // GTP-U sequence number of each user's tunnel
};

// What the session file says about user k, so that all agree on it.
struct user {
  uint32_t teid, peer_teid;
  struct address ue4, ue6;
  bool gnb_v6;       // its gNB is reached over IPv6
  uint32_t gnb;      // which of the gNBs
  const char* rules; // name of its rule set
};
struct user user_of(uint32_t k);

// Opens the files. On failure says why on stderr and returns false.
bool output_open(struct output* o, const char* uplink, const char* downlink);

// Writes one IP packet of user k. The user's own address must already be in it.
void output_user_packet(struct output* o, uint32_t k, bool uplink, struct timeval at, const uint8_t* ip,
                        uint32_t n, bool may_damage);

// Closes both captures. False, after saying why, when something was not written.
bool output_close(struct output* o, const char* uplink, const char* downlink);

// Writes the rule sets, one session per user, and `idle` more without traffic.
bool write_sessions(const char* path, uint32_t ues, uint32_t idle);

#endif
