// The parsers behind app_parse, one file per protocol.
//
// Each takes one packet's payload (in->len > 0) and an *out that app_parse has reset. It returns how sure it
// is and fills *out for its protocol as far as it got; on APP_CONF_NONE the dispatcher resets *out and goes
// on. A parser that returns APP_CONF_NONE with out->malformed set has seen its own protocol, broken:
// app_parse takes this seriously only on the protocol's own port.
//
// Parsers keep no state between packets and write nothing but *out.
#ifndef UPF_APP_PROTO_H
#define UPF_APP_PROTO_H

#include "app.h"
#include "app_bytes.h"
#include "app_other.h"

typedef enum app_confidence app_parser(const struct app_input* in, struct app_info* out);

// Applications with an id of their own (enum app_id).
app_parser app_dns, app_tls, app_dtls, app_http, app_quic, app_sip, app_rtp, app_rtcp, app_ssh, app_smtp,
    app_ftp, app_ntp, app_dhcp;

// Those without: recognised so that a flow is known to be none of the above (app_other.h).
app_parser app_stun, app_bittorrent, app_mqtt, app_snmp, app_radius, app_wireguard, app_modbus, app_rdp,
    app_smb, app_imap, app_pop3, app_tftp, app_nbns, app_diameter, app_gtp, app_coap, app_ssdp;

static inline enum app_confidence app_is(struct app_info* out, enum app_id app,
                                         enum app_confidence confidence) {
  out->app = (uint8_t)app;
  out->confidence = (uint8_t)confidence;
  return confidence;
}

static inline enum app_confidence app_is_other(struct app_info* out, enum app_other other,
                                               enum app_confidence confidence) {
  out->message = (uint8_t)other;
  return app_is(out, APP_OTHER, confidence);
}

// The payload is not of this protocol.
static inline enum app_confidence app_not(void) {
  return APP_CONF_NONE;
}

// The payload claims to be of this protocol and breaks its rules.
static inline enum app_confidence app_broken(struct app_info* out, enum app_id app) {
  out->malformed = 1;
  out->app = (uint8_t)app;
  return APP_CONF_NONE;
}

static inline bool app_port_is(const struct app_input* in, uint16_t port) {
  return in->sport == port || in->dport == port;
}

#endif
