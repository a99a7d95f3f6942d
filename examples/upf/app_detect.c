// Which parser reads a payload, and what a flow is taken for after it.
//
// app_parse goes from the cheap and likely to the expensive and general:
//   1. The port suggests a parser (a sorted table, binary search). A strong result ends the search.
//   2. The first bytes exclude most parsers; the rest are tried in an order in which the protocols that check
//   the
//      most come first. The first strong result ends the search.
//   3. A weak result (an RTP header fits many random payloads) is returned when nothing stronger was found.
// A payload on a protocol's own port that claims to be it and breaks its rules is reported as malformed,
// unless it turns out to be something else.
//
// Trying everything on every packet would be simpler and is what step 2 costs in the worst case; on the
// traffic of a mobile network step 1 ends most searches. The alternative of keeping the excluded candidates
// in the flow saves little once a verdict stands, and would make the long half of detection depend on shared
// state.
//
// app_flow_update is the short half. Strong results set the verdict. Weak ones must repeat: RTP with a steady
// source and rising sequence numbers, others twice in a row. A flow that shows nothing known in GIVE_UP
// payloads is APP_OTHER.
#include "app_other.h"
#include "app_proto.h"

#include <stddef.h>

enum { GIVE_UP = 16, WEAK_HITS = 2, RTP_HITS = 3, RTP_GAP = 64, TCP = 6, UDP = 17 };

enum parser {
  P_NONE,
  P_DNS,
  P_TLS,
  P_DTLS,
  P_HTTP,
  P_QUIC,
  P_SIP,
  P_RTP,
  P_RTCP,
  P_SSH,
  P_SMTP,
  P_FTP,
  P_FTP_DATA,
  P_NTP,
  P_DHCP,
  P_STUN,
  P_BITTORRENT,
  P_MQTT,
  P_SNMP,
  P_RADIUS,
  P_WIREGUARD,
  P_MODBUS,
  P_RDP,
  P_SMB,
  P_IMAP,
  P_POP3,
  P_TFTP,
  P_NBNS,
  P_DIAMETER,
  P_GTP,
  P_COAP,
  P_SSDP
};

struct hint {
  uint16_t port;
  uint8_t tcp, udp; // enum parser, by transport
};

// Sorted by port.
static const struct hint hints[] = {
    {20, P_FTP_DATA, P_NONE},     {21, P_FTP, P_NONE},        {22, P_SSH, P_NONE},
    {25, P_SMTP, P_NONE},         {53, P_DNS, P_DNS},         {67, P_NONE, P_DHCP},
    {68, P_NONE, P_DHCP},         {69, P_NONE, P_TFTP},       {80, P_HTTP, P_QUIC},
    {110, P_POP3, P_NONE},        {123, P_NONE, P_NTP},       {137, P_NONE, P_NBNS},
    {139, P_SMB, P_NONE},         {143, P_IMAP, P_NONE},      {161, P_NONE, P_SNMP},
    {162, P_NONE, P_SNMP},        {443, P_TLS, P_QUIC},       {445, P_SMB, P_NONE},
    {465, P_TLS, P_NONE},         {502, P_MODBUS, P_NONE},    {587, P_SMTP, P_NONE},
    {636, P_TLS, P_NONE},         {784, P_NONE, P_QUIC},      {853, P_TLS, P_QUIC},
    {990, P_TLS, P_NONE},         {993, P_TLS, P_NONE},       {995, P_TLS, P_NONE},
    {1812, P_NONE, P_RADIUS},     {1813, P_NONE, P_RADIUS},   {1883, P_MQTT, P_NONE},
    {1900, P_NONE, P_SSDP},       {2123, P_NONE, P_GTP},      {2152, P_NONE, P_GTP},
    {2525, P_SMTP, P_NONE},       {3128, P_HTTP, P_NONE},     {3389, P_RDP, P_NONE},
    {3478, P_STUN, P_STUN},       {3868, P_DIAMETER, P_NONE}, {4433, P_TLS, P_QUIC},
    {5060, P_SIP, P_SIP},         {5061, P_TLS, P_NONE},      {5222, P_TLS, P_NONE},
    {5349, P_TLS, P_DTLS},        {5353, P_NONE, P_DNS},      {5355, P_DNS, P_DNS},
    {5683, P_NONE, P_COAP},       {5684, P_NONE, P_DTLS},     {6881, P_BITTORRENT, P_BITTORRENT},
    {8000, P_HTTP, P_NONE},       {8008, P_HTTP, P_NONE},     {8080, P_HTTP, P_NONE},
    {8443, P_TLS, P_QUIC},        {8883, P_TLS, P_NONE},      {19302, P_NONE, P_STUN},
    {51820, P_NONE, P_WIREGUARD},
};

static uint8_t hint_of_port(uint8_t proto, uint16_t port) {
  uint32_t low = 0, high = sizeof hints / sizeof *hints;
  while (low < high) {
    uint32_t mid = (low + high) / 2;
    if (hints[mid].port < port)
      low = mid + 1;
    else
      high = mid;
  }
  if (low == sizeof hints / sizeof *hints || hints[low].port != port) return P_NONE;
  return proto == TCP ? hints[low].tcp : hints[low].udp;
}

// The lower port is the server's in most flows; the other one is asked when it says nothing.
static uint8_t hint_of(const struct app_input* in) {
  uint16_t low = in->sport < in->dport ? in->sport : in->dport;
  uint16_t high = in->sport < in->dport ? in->dport : in->sport;
  uint8_t hint = hint_of_port(in->proto, low);
  return hint ? hint : hint_of_port(in->proto, high);
}

static enum app_confidence by_hint(uint8_t parser, const struct app_input* in, struct app_info* out) {
  switch (parser) {
  case P_DNS:
    return app_dns(in, out);
  case P_TLS:
    return app_tls(in, out);
  case P_DTLS:
    return app_dtls(in, out);
  case P_HTTP:
    return app_http(in, out);
  case P_QUIC:
    return app_quic(in, out);
  case P_SIP:
    return app_sip(in, out);
  case P_SSH:
    return app_ssh(in, out);
  case P_SMTP:
    return app_smtp(in, out);
  case P_FTP:
    return app_ftp(in, out);
  case P_FTP_DATA:
    return app_is(out, APP_FTP_DATA, APP_CONF_WEAK);
  case P_NTP:
    return app_ntp(in, out);
  case P_DHCP:
    return app_dhcp(in, out);
  case P_STUN:
    return app_stun(in, out);
  case P_BITTORRENT:
    return app_bittorrent(in, out);
  case P_MQTT:
    return app_mqtt(in, out);
  case P_SNMP:
    return app_snmp(in, out);
  case P_RADIUS:
    return app_radius(in, out);
  case P_WIREGUARD:
    return app_wireguard(in, out);
  case P_MODBUS:
    return app_modbus(in, out);
  case P_RDP:
    return app_rdp(in, out);
  case P_SMB:
    return app_smb(in, out);
  case P_IMAP:
    return app_imap(in, out);
  case P_POP3:
    return app_pop3(in, out);
  case P_TFTP:
    return app_tftp(in, out);
  case P_NBNS:
    return app_nbns(in, out);
  case P_DIAMETER:
    return app_diameter(in, out);
  case P_GTP:
    return app_gtp(in, out);
  case P_COAP:
    return app_coap(in, out);
  case P_SSDP:
    return app_ssdp(in, out);
  default:
    return APP_CONF_NONE;
  }
}

static void reset(struct app_info* out) {
  memset(out, 0, offsetof(struct app_info, host));
  out->host[0] = 0;
}

static bool is_upper(uint8_t c) {
  return c >= 'A' && c <= 'Z';
}
static bool is_text_start(const struct app_input* in) {
  return in->len >= 4 && is_upper(in->payload[0] & 0xdf) && is_upper(in->payload[1] & 0xdf);
}

// Tries one parser. A strong result ends the search; so does a weak one, for what comes later checks less.
#define TRY(parser)                                                                                          \
  do {                                                                                                       \
    if (parser(in, out) >= APP_CONF_STRONG) return true;                                                     \
    if (out->confidence) return false;                                                                       \
    reset(out);                                                                                              \
  } while (0)

// Text protocols of TCP, told apart by their first word.
static bool tcp_text(const struct app_input* in, struct app_info* out) {
  if (in->payload[0] == 'S' && in->payload[1] == 'S') TRY(app_ssh);
  TRY(app_http);
  TRY(app_sip);
  TRY(app_smtp);
  TRY(app_ftp);
  TRY(app_pop3);
  TRY(app_imap);
  return false;
}

// Binary protocols of TCP, told apart by their first byte.
static bool tcp_binary(const struct app_input* in, struct app_info* out) {
  switch (in->payload[0]) {
  case 0x00:
    TRY(app_smb);
    TRY(app_stun);
    TRY(app_dns);
    TRY(app_modbus);
    return false;
  case 0x01:
    TRY(app_diameter);
    TRY(app_stun);
    return false;
  case 0x03:
    TRY(app_rdp);
    return false;
  case 0x10:
    TRY(app_mqtt);
    return false;
  case 0x13:
    TRY(app_bittorrent);
    return false;
  case '*':
  case '+':
  case '-':
    TRY(app_imap);
    TRY(app_pop3);
    return false;
  case '2':
  case '5':
    TRY(app_smtp);
    TRY(app_ftp);
    return false;
  default:
    TRY(app_tls);
    return false;
  }
}

static bool udp_text(const struct app_input* in, struct app_info* out) {
  TRY(app_sip);
  TRY(app_ssdp);
  TRY(app_http);
  return false;
}

// Binary protocols of UDP. The two top bits tell RTP, STUN, DTLS and QUIC apart as RFC 7983 says; what has no
// such rule comes after those.
static bool udp_binary(const struct app_input* in, struct app_info* out) {
  uint8_t first = in->payload[0];
  if (first < 4) TRY(app_stun);
  if (in_range(first, 1, 4)) TRY(app_wireguard);
  if (in_range(first, 20, 63)) TRY(app_dtls);
  if (first & 0x80) TRY(app_quic);
  if (first >> 6 == 2 && in->len >= 8 && in_range(in->payload[1], 192, 223)) TRY(app_rtcp);
  if (in_range(first, 1, 2)) TRY(app_dhcp);
  if (first == 0x30) TRY(app_snmp);
  if (in_range(first, 0x28, 0x4f)) TRY(app_gtp);
  if (in_range(first, 1, 45)) TRY(app_radius);
  TRY(app_dns);
  TRY(app_bittorrent);
  if (first >> 6 == 1) TRY(app_coap);
  if (first >> 6 == 2) TRY(app_rtp);
  return false;
}

static bool by_content(const struct app_input* in, struct app_info* out) {
  if (in->len < 4) return false;
  bool text = is_text_start(in);
  if (in->proto == TCP) return text ? tcp_text(in, out) : tcp_binary(in, out);
  if (text && udp_text(in, out)) return true;
  return udp_binary(in, out);
}

void app_parse(const struct app_input* in, struct app_info* out) {
  reset(out);
  if (!in->len || (in->proto != TCP && in->proto != UDP)) return;
  uint8_t claimed = APP_UNKNOWN, weak = APP_UNKNOWN;
  uint8_t hint = hint_of(in);
  if (hint) {
    enum app_confidence got = by_hint(hint, in, out);
    if (got >= APP_CONF_STRONG) return;
    if (got)
      weak = out->app;
    else if (out->malformed)
      claimed = out->app;
    if (hint == P_FTP_DATA) return;
    reset(out);
  }
  if (by_content(in, out)) return;
  if (out->confidence) return;
  reset(out);
  if (weak) {
    out->app = weak;
    out->confidence = APP_CONF_WEAK;
  } else if (claimed) {
    out->app = claimed;
    out->malformed = 1;
  }
}

static bool may_turn_into_tls(uint8_t app) {
  return app == APP_DNS || app == APP_HTTP || app == APP_SMTP || app == APP_FTP || app == APP_OTHER;
}

static void set_verdict(struct app_flow* flow, uint8_t app, uint8_t confidence) {
  flow->app = app;
  flow->confidence = confidence;
}

// RTP has no magic number: what makes a stream is one source per direction whose sequence numbers rise. The
// last sequence number is kept with the low half of its source, so that both directions fit the flow's state.
static bool rtp_continues(struct app_flow* flow, const struct app_info* info, bool uplink) {
  uint32_t last = flow->seq[uplink];
  uint32_t now = (info->id & 0xffff) << 16 | (info->seq & 0xffff);
  bool seen = flow->seen_dir & (1u << uplink) && flow->candidate == APP_RTP;
  flow->seq[uplink] = now;
  if (!seen) return flow->candidate == APP_RTP; // the other direction's first packet neither helps nor hurts
  uint16_t step = (uint16_t)(now - last);
  return now >> 16 == last >> 16 && step - 1u < RTP_GAP;
}

static void weak_sighting(struct app_flow* flow, const struct app_info* info, bool uplink) {
  if (info->app == APP_RTCP && flow->candidate == APP_RTP) return; // both share a port when multiplexed
  bool fits = flow->candidate == info->app;
  uint8_t needed = WEAK_HITS;
  if (info->app == APP_RTP) {
    fits = rtp_continues(flow, info, uplink);
    needed = RTP_HITS;
  }
  flow->candidate = info->app;
  flow->hits = fits ? (uint8_t)(flow->hits + (flow->hits < 255)) : 1;
  flow->id = info->id;
  if (flow->hits >= needed && flow->confidence < APP_CONF_STRONG)
    set_verdict(flow, info->app, APP_CONF_STRONG);
}

static void strong_sighting(struct app_flow* flow, const struct app_info* info) {
  bool upgrade = info->app == APP_TLS && may_turn_into_tls(flow->app);
  if (info->confidence > flow->confidence || upgrade) set_verdict(flow, info->app, info->confidence);
  if (flow->app == APP_OTHER) flow->pad[0] = info->message;
  if (flow->app == info->app) flow->id = info->id;
}

enum app_id app_flow_update(struct app_flow* flow, const struct app_info* info, bool uplink) {
  if (flow->payloads < UINT16_MAX) flow->payloads++;
  if (info->malformed && flow->malformed < UINT16_MAX) flow->malformed++;
  uint32_t requests = flow->requests + info->transactions;
  flow->requests = requests < flow->requests ? UINT32_MAX : requests;
  if (info->confidence >= APP_CONF_STRONG)
    strong_sighting(flow, info);
  else if (info->confidence == APP_CONF_WEAK)
    weak_sighting(flow, info, uplink);
  else
    flow->hits = 0;
  flow->seen_dir |= (uint8_t)(1u << uplink);
  if (flow->app == APP_UNKNOWN && flow->payloads >= GIVE_UP) set_verdict(flow, APP_OTHER, APP_CONF_NONE);
  return (enum app_id)flow->app;
}

static const char* const names[APP_ID_COUNT] = {"unknown", "dns",      "tls",  "http", "quic",
                                                "sip",     "rtp",      "rtcp", "ssh",  "smtp",
                                                "ftp",     "ftp-data", "ntp",  "dhcp", "other"};

const char* app_name(enum app_id id) {
  return (unsigned)id < APP_ID_COUNT ? names[id] : "invalid";
}

enum app_id app_by_name(const char* name) {
  for (int i = 0; i < APP_ID_COUNT; i++)
    if (strcmp(name, names[i]) == 0) return (enum app_id)i;
  return APP_ID_COUNT;
}

static const char* const other_names[OTHER_COUNT] = {
    "none", "stun", "bittorrent", "mqtt", "snmp", "radius",   "wireguard", "modbus", "rdp",
    "smb",  "imap", "pop3",       "tftp", "nbns", "diameter", "gtp",       "coap",   "ssdp"};

const char* app_other_name(enum app_other other) {
  return (unsigned)other < OTHER_COUNT ? other_names[other] : "invalid";
}
