// What the generated flows say: one function per protocol, one message per call.
#ifndef UPF_TOOLS_MESSAGES_H
#define UPF_TOOLS_MESSAGES_H

#include "packet.h"

enum flow_kind {
  FLOW_DNS,
  FLOW_TLS,
  FLOW_HTTP,
  FLOW_QUIC,
  FLOW_SIP,
  FLOW_RTP,
  FLOW_SSH,
  FLOW_SMTP,
  FLOW_FTP,
  FLOW_FTP_DATA,
  FLOW_NTP,
  FLOW_DHCP,
  FLOW_STUN,
  FLOW_BULK, // an unknown protocol on TCP that moves much data
  FLOW_GAME, // an unknown protocol on UDP, small and steady
  FLOW_PING,
  FLOW_SCTP,
  FLOW_BIG_UDP, // datagrams that travel in fragments
  FLOW_KINDS
};

// One flow of one user. All of it is decided when the flow begins; `step` says how far it is.
struct flow {
  enum flow_kind kind;
  uint32_t user;
  struct address ue, remote;
  uint16_t ue_port, remote_port;
  uint16_t id;     // transaction number, ping identifier, media port
  uint32_t step;   // messages said
  uint32_t length; // messages that a flow of free length will say
  uint32_t phase;  // of TCP: handshake, talk, end
  uint32_t seq[2]; // next TCP or RTP sequence number by direction
  uint32_t ts;
  uint32_t unacked; // TCP segments since the last acknowledgement
  bool ack_uplink;
  uint32_t site; // which of the invented hosts
  bool timestamps, sack;
  uint8_t tos;
};

// Appends the flow's next message and says who sends it. False when the flow has said everything.
bool next_message(struct flow* f, struct rng* r, bool* uplink, struct buf* m);

const char* site_name(uint32_t site);

#endif
