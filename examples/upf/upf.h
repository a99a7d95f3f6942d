// The packet path: its context, its phases, and the worker that runs it.
//
// upf_process() takes one frame through the phases in the order below. Every structure that outlives a
// packet is used by exactly one phase, named in brackets; everything else a phase needs comes through
// struct pkt_ctx, which lives on upf_process's stack.
#ifndef UPF_UPF_H
#define UPF_UPF_H

#include "app.h"
#include "proto.h"
#include "rules.h"
#include <rte_mbuf.h>
#include <stdio.h>

// Frames of one receive call; bench/figures has other sizes.
#ifndef UPF_BURST
#define UPF_BURST 32
#endif
enum { BURST = UPF_BURST };

#define DROP_REASONS(X)                                                                                      \
  X(NONE, "none")                                                                                            \
  X(SEGMENTED, "frame-in-several-buffers")                                                                   \
  X(ETH_SHORT, "ethernet-short")                                                                             \
  X(ETH_TYPE, "ethernet-type-unknown")                                                                       \
  X(ETH_DEST, "ethernet-not-for-us")                                                                         \
  X(VLAN_SHORT, "vlan-short")                                                                                \
  X(VLAN_WRONG, "vlan-unexpected")                                                                           \
  X(ARP_BAD, "arp-malformed")                                                                                \
  X(ARP_OTHER, "arp-not-for-us")                                                                             \
  X(OUTER_SHORT, "outer-ip-short")                                                                           \
  X(OUTER_VERSION, "outer-ip-version")                                                                       \
  X(OUTER_LENGTH, "outer-ip-length")                                                                         \
  X(OUTER_CHECKSUM, "outer-ip-checksum")                                                                     \
  X(OUTER_OPTIONS, "outer-ip-options")                                                                       \
  X(OUTER_FRAGMENT, "outer-ip-fragment")                                                                     \
  X(OUTER_ADDRESS, "outer-ip-address")                                                                       \
  X(OUTER_PROTO, "outer-ip-protocol")                                                                        \
  X(OUTER_UDP, "outer-udp-malformed")                                                                        \
  X(OUTER_UDP_CHECKSUM, "outer-udp-checksum")                                                                \
  X(OUTER_PORT, "outer-udp-port")                                                                            \
  X(GTPU_SHORT, "gtpu-short")                                                                                \
  X(GTPU_VERSION, "gtpu-version")                                                                            \
  X(GTPU_LENGTH, "gtpu-length")                                                                              \
  X(GTPU_EXTENSION, "gtpu-extension-malformed")                                                              \
  X(GTPU_UNKNOWN_EXT, "gtpu-extension-unsupported")                                                          \
  X(GTPU_MESSAGE, "gtpu-message-unknown")                                                                    \
  X(GTPU_IE, "gtpu-ie-malformed")                                                                            \
  X(GTPU_CONTAINER, "gtpu-pdu-session-container")                                                            \
  X(GTPU_CONTROL, "gtpu-control-consumed")                                                                   \
  X(IP_SHORT, "ip-short")                                                                                    \
  X(IP_VERSION, "ip-version")                                                                                \
  X(IP_HEADER_LENGTH, "ip-header-length")                                                                    \
  X(IP_LENGTH, "ip-length")                                                                                  \
  X(IP_CHECKSUM, "ip-checksum")                                                                              \
  X(IP_OPTION, "ip-option-malformed")                                                                        \
  X(IP_SOURCE_ROUTE, "ip-source-route")                                                                      \
  X(IP_ADDRESS, "ip-address-martian")                                                                        \
  X(IP_FRAGMENT, "ip-fragment-malformed")                                                                    \
  X(IP_TTL, "ip-ttl-expired")                                                                                \
  X(IP6_EXTENSION, "ip6-extension-malformed")                                                                \
  X(IP6_ORDER, "ip6-extension-order")                                                                        \
  X(IP6_ROUTING, "ip6-routing-type-0")                                                                       \
  X(TCP_SHORT, "tcp-short")                                                                                  \
  X(TCP_HEADER, "tcp-header-length")                                                                         \
  X(TCP_FLAGS, "tcp-flags")                                                                                  \
  X(TCP_OPTION, "tcp-option-malformed")                                                                      \
  X(UDP_SHORT, "udp-short")                                                                                  \
  X(UDP_LENGTH, "udp-length")                                                                                \
  X(SCTP_SHORT, "sctp-short")                                                                                \
  X(SCTP_CHUNK, "sctp-chunk-malformed")                                                                      \
  X(SCTP_CHECKSUM, "sctp-checksum")                                                                          \
  X(ICMP_SHORT, "icmp-short")                                                                                \
  X(ICMP_TYPE, "icmp-type-invalid")                                                                          \
  X(L4_CHECKSUM, "l4-checksum")                                                                              \
  X(ND_BAD, "nd-malformed")                                                                                  \
  X(NO_SESSION, "no-session")                                                                                \
  X(SPOOFED, "ue-source-address")                                                                            \
  X(NO_PDR, "no-pdr")                                                                                        \
  X(GATE, "gate-closed")                                                                                     \
  X(RATE_FLOW, "rate-flow")                                                                                  \
  X(RATE_SESSION, "rate-session")                                                                            \
  X(RATE_PACKETS, "rate-packets")                                                                            \
  X(QUOTA, "quota-exhausted")                                                                                \
  X(FAR_DROP, "far-drop")                                                                                    \
  X(TOO_BIG, "too-big")                                                                                      \
  X(NO_ROOM, "no-headroom")                                                                                  \
  X(REPLY_LIMIT, "reply-rate-limit")                                                                         \
  X(BUFFER_FULL, "buffer-full")                                                                              \
  X(TX_FULL, "transmit-queue-full")

enum drop_reason {
#define X(id, text) DROP_##id,
  DROP_REASONS(X)
#undef X
      DROP_COUNT
};

enum verdict {
  VERDICT_CONTINUE = 0, // not decided yet
  VERDICT_FORWARD,      // send on out_port
  VERDICT_REPLY,        // rewritten in place into an answer: send on out_port
  VERDICT_BUFFER,       // keep for the session
  VERDICT_DROP
};

enum direction { DOWNLINK = 0, UPLINK = 1 };

// Things noticed in valid packets; counted once at the end of the path.
enum notice {
  NOTE_IP_OPTIONS = 1u << 0,
  NOTE_ROUTER_ALERT = 1u << 1,
  NOTE_RECORD_ROUTE = 1u << 2,
  NOTE_TIMESTAMP = 1u << 3,
  NOTE_FRAGMENT_FIRST = 1u << 4,
  NOTE_FRAGMENT_LATER = 1u << 5,
  NOTE_FRAGMENT_UNKNOWN = 1u << 6,
  NOTE_IP6_EXTENSIONS = 1u << 7,
  NOTE_ESP = 1u << 8,
  NOTE_AH = 1u << 9,
  NOTE_TCP_SACK = 1u << 10,
  NOTE_TCP_TIMESTAMP = 1u << 11,
  NOTE_TCP_URGENT = 1u << 12,
  NOTE_UDP_NO_CHECKSUM = 1u << 13,
  NOTE_SCTP_DATA = 1u << 14,
  NOTE_TUNNEL = 1u << 15,
  NOTE_REFLECTIVE_QOS = 1u << 16,
  NOTE_PADDED = 1u << 17,
  NOTE_TCP_OUT_OF_WINDOW = 1u << 18,
  NOTE_TCP_RETRANSMIT = 1u << 19,
  NOTE_APP_MALFORMED = 1u << 20,
  NOTE_MARKED = 1u << 21,
  NOTE_END_MARKER = 1u << 22,
  NOTE_PEER_ERROR = 1u << 23,
  NOTE_MASQUERADE = 1u << 24,
  NOTE_MSS_CLAMPED = 1u << 25,
  NOTE_COUNT = 26
};

// The user's IP packet, after parsing. Offsets count from the start of the frame's data.
struct ip_view {
  uint8_t version;
  uint8_t proto; // transport protocol after all extension headers
  uint8_t tos, ttl;
  uint16_t off; // of the IP header
  uint16_t len; // of the whole IP packet
  uint16_t l4_off, l4_len;
  uint16_t payload_off, payload_len; // of the transport's payload
  bool fragment, first_fragment, more_fragments, dont_fragment, has_ports, has_spi;
  uint16_t fragment_off; // in octets
  uint32_t fragment_id;
  uint32_t flow_label;
  uint32_t spi;
  uint16_t sport, dport;
  uint8_t src[16], dst[16]; // IPv4 in the first four octets, the rest zero
  uint8_t tcp_flags, tcp_wscale;
  bool tcp_has_wscale, tcp_has_mss;
  uint16_t tcp_window, tcp_mss, tcp_mss_off;
  uint32_t tcp_seq, tcp_ack;
  uint32_t tcp_tsval, tcp_tsecr;
  uint32_t sctp_tag;
  uint8_t sctp_chunks;
  uint8_t icmp_type, icmp_code;
};

struct outer_view {
  uint8_t version, tos;
  uint16_t ip_off, udp_off, udp_len;
  uint8_t src[16], dst[16];
  uint16_t sport;
};

struct gtpu_view {
  uint8_t flags, type;
  uint16_t off; // of the GTP-U header
  uint16_t len; // of the message after the mandatory header
  uint16_t payload_off;
  uint32_t teid;
  uint16_t seq;
  uint8_t npdu;
  bool has_seq, has_npdu, has_qfi, rqi, has_ppi, has_pdcp, has_udp_port, unsupported;
  uint8_t qfi, ppi, pdu_type, unsupported_type;
  uint32_t pdcp;
  uint16_t udp_port;
};

// A GTP-U tunnel's end and what goes into its headers.
struct tunnel {
  const struct port_config* port;
  const struct ip_prefix* peer;
  uint32_t teid;
  uint8_t tos; // of the outer header
  bool has_seq, has_qfi, rqi, has_ppi;
  uint16_t seq;
  uint8_t qfi, ppi;
};

enum event_kind { EVENT_USAGE, EVENT_DOWNLINK_DATA, EVENT_APP_START, EVENT_ERROR_INDICATION };

struct event {
  uint64_t time;
  struct session* session;
  uint8_t kind; // enum event_kind
  uint8_t app;
  uint16_t rule;    // URR or PDR id
  uint32_t trigger; // enum urr_trigger
  uint32_t number;
  uint64_t volume[3], packets[2], duration;
};

enum { EVENTS_PER_PACKET = 6 };

// What the forest takes a flow for (meter.h).
enum traffic_class {
  CLASS_OTHER = 0,
  CLASS_CONTROL, // DNS, NTP, DHCP: short questions and answers
  CLASS_WEB,
  CLASS_QUIC,
  CLASS_VOICE,
  CLASS_MAIL,
  CLASS_FILE,
  CLASS_SHELL,
  CLASS_COUNT
};

// What one flow said about this packet.
struct flow_verdict {
  uint8_t app;
  bool fresh_app; // the verdict changed with this packet
  bool host_known;
  uint16_t host_len;
  uint32_t notices;
  char host[64]; // tail of the host name, as long as fits
};

struct pkt_ctx {
  struct rte_mbuf* m;
  uint8_t* data;
  uint32_t len;
  uint32_t received; // octets that came in
  uint64_t now;
  uint8_t in_port, out_port; // enum interface
  uint8_t dir;               // enum direction
  uint8_t verdict;           // enum verdict
  uint8_t reason;            // enum drop_reason
  uint8_t nevents;
  bool duplicate, in_profile;
  uint8_t reply;        // enum reply_kind
  uint16_t path_mtu;    // what the way out leaves for the user's packet
  uint8_t problem_code; // of an ICMPv6 parameter problem, and where it is in the packet
  uint16_t problem_off;
  uint16_t l3_off;
  uint32_t notices; // enum notice
  struct outer_view outer;
  struct gtpu_view gtpu;
  struct ip_view ip;
  struct session* session;
  const struct pdr* pdr;
  const struct far* far;
  struct tunnel tunnel; // the way out, if it is a tunnel
  struct flow_verdict flow;
  uint8_t class;       // enum traffic_class
  uint8_t class_share; // of the trees that say so, in 256ths
  struct event events[EVENTS_PER_PACKET];
};

enum reply_kind {
  REPLY_NONE = 0,
  REPLY_GTPU_ECHO,
  REPLY_GTPU_ERROR,
  REPLY_GTPU_EXTENSIONS,
  REPLY_ICMP_TTL,
  REPLY_ICMP_TOO_BIG,
  REPLY_ICMP_PROHIBITED,
  REPLY_ICMP_ECHO,
  REPLY_ICMP6_PARAMETER,
  REPLY_ARP,
  REPLY_ND
};

// What is to be done with a packet after its batch, in packet order.
struct outcome {
  struct rte_mbuf* m;
  struct session* session;
  const struct far* far;
  uint8_t action; // enum verdict
  uint8_t port, dir;
  bool duplicate;
  uint64_t time;
};

struct port_counters {
  uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes, dropped, replies;
};

struct app_counters {
  uint64_t packets[2], bytes[2];
};

struct counters {
  uint64_t drops[DROP_COUNT];
  uint64_t notices[NOTE_COUNT];
  uint64_t in_profile, out_of_profile;
  struct port_counters port[2];
  struct app_counters app[APP_ID_COUNT];
  struct app_counters class[CLASS_COUNT];
};

struct flow_table;
struct fragment_table;
struct name_table;
struct transmit;

// One forwarding thread. The tables of sessions are shared and constant while packets flow.
struct worker {
  const struct config* config;
  struct fragment_table* fragments; // [fragment]
  struct flow_table* flows;         // [flow]
  struct name_table* names;         // [flow]
  struct bucket reply_bucket;       // [reply]
  uint16_t* tunnel_seq;             // [encapsulate] by session
  struct counters* counters;        // [commit], updated only by adding
  struct outcome out[BURST * 2];    // [commit]
  unsigned nout;                    // [commit]
  struct event* events;             // [commit] written out after the batch
  unsigned nevents;                 // [commit]
  struct transmit* tx;              // after the batch only
  FILE* report;                     // after the batch only
};

// One frame from reception to its outcome. `port` is the interface that it came in on.
void upf_process(struct worker* w, struct rte_mbuf* m, enum interface port, uint64_t now);

// Does what the batch's outcomes ask for, in packet order: transmit, buffer, free; and writes reports. Must
// be called after at most BURST calls of upf_process.
void worker_finish_batch(struct worker* w);

// A worker on `config`; reports go to `report` (may be NULL). Needs an initialised EAL. Until transmit
// ports are attached (transmit_attach in transmit.h), frames to be sent are freed.
struct worker* worker_create(const struct config* config, FILE* report);
// Returns false if a recording could not be written completely.
bool worker_free(struct worker* w);

// Writes final usage reports, as at session deletion.
void worker_final_reports(struct worker* w, uint64_t now);
void stats_write(FILE* out, struct worker* const* workers, unsigned nworkers, const struct config* config);

const char* drop_reason_name(enum drop_reason reason);

static inline bool drop(struct pkt_ctx* c, enum drop_reason reason) {
  c->verdict = VERDICT_DROP;
  c->reason = (uint8_t)reason;
  return false;
}

// Drops the packet and asks the reply phase to answer it.
static inline bool refuse(struct pkt_ctx* c, enum drop_reason reason, enum reply_kind reply) {
  c->reply = (uint8_t)reply;
  return drop(c, reason);
}

#endif
