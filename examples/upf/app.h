// Application detection: the interface between the forwarding path and the parsers.
//
// Detection has two halves, so that the long half shares nothing between packets:
//
//   app_parse()       reads one packet's payload and says what it saw. Stateless: it reads the payload
//                     and constant tables, writes *out, and touches nothing else.
//   app_flow_update() folds one packet's result into the small state of its flow and returns the
//                     application that the flow is taken for after this packet. No payload, no parsing.
//
// The application of a flow follows TS 23.503 section 6.2.2.5 (application detection filters): it selects
// PDRs, QERs and URRs that carry an application id.
#ifndef UPF_APP_H
#define UPF_APP_H

#include <stdbool.h>
#include <stdint.h>

enum app_id {
  APP_UNKNOWN = 0,
  APP_DNS,
  APP_TLS,
  APP_HTTP,
  APP_QUIC,
  APP_SIP,
  APP_RTP,
  APP_RTCP,
  APP_SSH,
  APP_SMTP,
  APP_FTP,
  APP_FTP_DATA,
  APP_NTP,
  APP_DHCP,
  APP_OTHER, // looked at long enough: no known application
  APP_ID_COUNT
};

// How far one packet's payload supports the guess.
enum app_confidence {
  APP_CONF_NONE = 0, // nothing recognised
  APP_CONF_WEAK,     // could be (RTP header that fits, port that fits)
  APP_CONF_STRONG,   // the protocol's own structure was checked
  APP_CONF_CERTAIN   // a complete, valid first message
};

enum { APP_HOST_MAX = 255, APP_ADDR_MAX = 4 };

// What an application message announces about another flow: an address that a name resolved to (DNS), or
// an address and port on which a media or data flow will follow (SDP in SIP, PORT/PASV/EPSV in FTP).
struct app_addr {
  uint8_t addr[16]; // network order; IPv4 in the first four bytes
  uint8_t is_v6;
  uint8_t proto; // IPPROTO_TCP or IPPROTO_UDP for an expected flow; 0 for a DNS answer
  uint8_t app;   // enum app_id of the expected flow; APP_UNKNOWN for a DNS answer
  uint16_t port; // host order; 0 for a DNS answer
  uint32_t ttl;  // seconds for which it holds
};

// One packet's payload with the fields of its headers that parsers need. Ports in host order.
struct app_input {
  const uint8_t* payload;
  uint32_t len;
  uint8_t proto; // IPPROTO_TCP or IPPROTO_UDP
  bool uplink;   // sent by the UE
  uint16_t sport;
  uint16_t dport;
};

// What app_parse saw. The parser sets every scalar field; host is valid up to host_len, the arrays up to
// their counts. Lives on the caller's stack.
struct app_info {
  uint8_t app;          // enum app_id: best guess of this packet alone
  uint8_t confidence;   // enum app_confidence
  uint8_t malformed;    // claims to be `app` and breaks its rules
  uint8_t message;      // parser's own message kind: HTTP method, DNS opcode, TLS handshake type ...
  uint16_t code;        // status or result: HTTP/SIP/SMTP/FTP status, DNS rcode, TLS alert
  uint16_t version;     // protocol version as on the wire (TLS 0x0303, HTTP 0x0101, QUIC low half)
  uint32_t id;          // RTP SSRC, DNS id, QUIC version, DHCP xid
  uint32_t seq;         // RTP sequence number, NTP stratum, RTCP packet count: for app_flow_update
  uint32_t timestamp;   // RTP timestamp
  uint32_t body_len;    // announced length of what follows (Content-Length, TLS record); 0 if none
  uint16_t alpn;        // first ALPN protocol: 0 none, 'h2' 0x6832, 'h1' 0x6831, 'h3' 0x6833, else 0xffff
  uint16_t host_len;    // length of host; 0 if none
  uint8_t naddr;        // entries of addr in use
  uint8_t transactions; // requests or responses that began in this packet
  char host[APP_HOST_MAX + 1]; // SNI, HTTP Host, DNS query name, SIP domain: lower case, no final dot
  struct app_addr addr[APP_ADDR_MAX];
};

// State of one flow, both directions together. All zero is a new flow. Plain data: may be copied.
struct app_flow {
  uint8_t app;        // enum app_id: current verdict
  uint8_t confidence; // enum app_confidence of it
  uint8_t candidate;  // application under test (RTP and the like)
  uint8_t hits;       // packets in a row that fitted the candidate
  uint16_t payloads;  // packets with payload looked at, saturating
  uint16_t malformed; // malformed messages, saturating
  uint32_t id;        // candidate's id (SSRC)
  uint32_t seq[2];    // last sequence per direction (0 downlink, 1 uplink)
  uint32_t requests;  // transactions, saturating
  uint8_t seen_dir;   // bit 0 downlink seen, bit 1 uplink seen
  uint8_t pad[3];
};

// Parses in->payload. Never reads outside [payload, payload + len); len may be 0.
void app_parse(const struct app_input* in, struct app_info* out);

// Folds *info into *flow. Returns flow->app after it. Verdicts only get surer: a CERTAIN one stays, except
// that DNS, HTTP, SMTP and FTP flows may turn into TLS (upgrade).
enum app_id app_flow_update(struct app_flow* flow, const struct app_info* info, bool uplink);

// Names, for configuration and reports: "dns", "tls", ... ; app_by_name returns APP_ID_COUNT if unknown.
const char* app_name(enum app_id id);
enum app_id app_by_name(const char* name);

#endif
