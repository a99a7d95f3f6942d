// Sessions and their rules as PFCP (TS 29.244) describes them. What rules say is constant once loaded and
// shared by all sessions that use the same rule set; what changes per packet lives in the *_state
// structures, one array of each kind for all sessions.
#ifndef UPF_RULES_H
#define UPF_RULES_H

#include "app.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_PDRS = 32, MAX_FARS = 16, MAX_QERS = 8, MAX_URRS = 8, MAX_FILTERS = 64, MAX_RANGES = 8 };
enum { REFS_PER_PDR = 4 }; // QERs and URRs that one PDR may name

enum { ANY_CLASS = 0xff };

enum interface { IF_ACCESS = 0, IF_CORE = 1 }; // TS 29.244 section 8.2.2

struct ip_prefix {
  uint8_t family; // 0 any, 4, 6
  uint8_t len;    // bits
  uint8_t addr[16];
};

struct port_range {
  uint16_t lo, hi;
};

// SDF filter, TS 29.244 section 8.2.5 with the flow description of TS 29.212 section 5.4.2, as seen from the
// UE: `remote` is the other end for both directions.
struct sdf_filter {
  bool any_proto, has_tos, has_spi, has_label, deny;
  uint8_t proto;
  uint8_t tos, tos_mask;
  uint8_t nremote, nlocal; // port ranges in use; 0 means any
  uint32_t spi;
  uint32_t label;
  struct ip_prefix remote, local;
  struct port_range remote_port[MAX_RANGES], local_port[MAX_RANGES];
};

// PDR, section 5.2.1A. Index fields refer to the arrays of the rule set.
struct pdr {
  uint16_t id;
  uint32_t precedence; // lower value is looked at first
  uint8_t source;      // enum interface
  bool has_qfi;
  uint8_t qfi;
  uint8_t app; // enum app_id; APP_UNKNOWN means any
  uint8_t host_len;
  uint8_t traffic_class; // enum traffic_class; ANY_CLASS means any
  char host[64];         // suffix of the application's host name, lower case
  uint8_t first_filter, nfilters;
  bool remove_outer; // outer header removal
  uint8_t far;
  uint8_t nqers, nurrs;
  uint8_t qer[REFS_PER_PDR], urr[REFS_PER_PDR];
};

enum far_action { FAR_DROP = 1, FAR_FORWARD = 2, FAR_BUFFER = 4, FAR_NOTIFY = 8, FAR_DUPLICATE = 16 };
enum far_outer { OUTER_NONE = 0, OUTER_SESSION, OUTER_FIXED };

// FAR, section 5.2.1B, with its forwarding parameters.
struct far {
  uint16_t id;
  uint8_t actions; // enum far_action, ORed
  uint8_t dest;    // enum interface
  uint8_t outer;   // where the outer header comes from: none, the session's tunnel, or below
  bool has_marking, copy_marking, sequence;
  uint8_t marking; // transport level marking: DSCP of the outer (or plain) packet, section 5.8
  uint8_t inner_marking;
  bool has_inner_marking;
  uint32_t teid; // OUTER_FIXED
  struct ip_prefix peer;
};

// QER, section 5.2.1C. Rates in bits per second; 0 means no limit.
struct qer {
  uint16_t id;
  bool gate_open[2]; // by direction: 0 downlink, 1 uplink
  bool session_level;
  uint8_t qfi; // put into downlink PDU session containers; 0 leaves it alone
  bool rqi, has_ppi;
  uint8_t ppi;
  uint64_t mbr[2], gbr[2];
  uint32_t pps[2];
  uint32_t burst_ms;
};

enum urr_trigger {
  TRIG_VOLUME_THRESHOLD = 1,
  TRIG_TIME_THRESHOLD = 2,
  TRIG_VOLUME_QUOTA = 4,
  TRIG_TIME_QUOTA = 8,
  TRIG_PERIODIC = 16,
  TRIG_START = 32,
  TRIG_STOP = 64,
  TRIG_FINAL = 128
};

// URR, section 5.2.2. Volumes in octets, times in nanoseconds; 0 means not set.
struct urr {
  uint16_t id;
  bool report_start;     // start of traffic
  uint64_t stop_after;   // inactivity that counts as stop of traffic
  uint64_t threshold[3]; // downlink, uplink, total
  uint64_t quota[3];
  uint64_t time_threshold, time_quota, period;
};

struct rule_set {
  char name[32];
  uint8_t npdrs, nfars, nqers, nurrs, nfilters;
  struct pdr pdrs[MAX_PDRS]; // by precedence
  struct far fars[MAX_FARS];
  struct qer qers[MAX_QERS];
  struct urr urrs[MAX_URRS];
  struct sdf_filter filters[MAX_FILTERS];
};

// One policer: the theoretical arrival time of the generic cell rate algorithm (ITU-T I.371 annex A), which
// is a token bucket kept in one number. All in nanoseconds of the worker's clock.
struct bucket {
  uint64_t tat;
};

struct qer_state {
  struct bucket mbr[2], gbr[2], pps[2];
  uint64_t in_profile[2], out_of_profile[2], dropped[2];
};

struct urr_state {
  uint64_t volume[3]; // since the last report: downlink, uplink, total
  uint64_t packets[2];
  uint64_t used[3];     // against the quota
  uint64_t first, last; // time of the first and last packet of this measurement
  uint64_t time_used;   // active time against the time quota
  uint64_t started;     // start of the measurement period
  uint32_t reports;
  uint8_t active, exhausted;
};

struct pdr_state {
  uint64_t packets, bytes;
};

enum { SESSION_BUFFER = 8 }; // packets kept per session by a buffering FAR

struct session_counters {
  uint64_t packets[2], bytes[2]; // forwarded, by direction
  uint64_t dropped[2];
  uint64_t buffered;
  uint64_t end_markers;
};

struct session {
  uint64_t seid;
  uint32_t index;
  uint32_t teid;      // local: uplink packets carry it
  uint32_t peer_teid; // gNB's: downlink packets carry it
  struct ip_prefix gnb;
  bool has_ue4, has_ue6;
  uint8_t ue4[4];
  uint8_t ue6[16]; // /64
  const struct rule_set* rules;
  struct pdr_state* pdr_state;
  struct qer_state* qer_state;
  struct urr_state* urr_state;
  struct session_counters* counters;
};

struct port_config {
  uint8_t mac[6], peer_mac[6];
  bool has_ip4, has_ip6;
  uint8_t ip4[4], ip6[16];
  uint16_t mtu;
  uint16_t vlan; // 0: untagged
};

struct config;

// Reads the session file (format in README.md). Returns NULL and a line in err (`file:line: text`) on
// failure.
struct config* config_load(const char* path, char* err, size_t err_len);
struct config* config_parse(const char* name, char* text, char* err, size_t err_len);
void config_free(struct config* config);

#endif
