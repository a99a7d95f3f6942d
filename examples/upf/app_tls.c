// TLS over TCP (RFC 5246, RFC 8446) and DTLS (RFC 6347, RFC 9147): the record layer.
//
// A segment is read record by record. Handshake records are opened as long as they are in the clear; alerts
// and ChangeCipherSpec are checked; application data is skipped by its length. The last record may run past
// the segment. What lies inside the handshake messages is app_tls_hello.c's business, certificates are
// app_x509.c's.
#include "app_tls.h"
#include "app_proto.h"

enum {
  RECORD_CHANGE_CIPHER = 20,
  RECORD_ALERT = 21,
  RECORD_HANDSHAKE = 22,
  RECORD_DATA = 23,
  RECORD_HEARTBEAT = 24,
  RECORD_MAX = 16384 + 2048
};

static bool tls_version_fits(uint16_t version) {
  return version >= 0x0300 && version <= 0x0304;
}
static bool dtls_version_fits(uint16_t version) {
  return version == 0xfeff || version == 0xfefd || version == 0xfefc || version == 0x0100;
}

static bool handshake_type_fits(uint8_t type) {
  switch (type) {
  case TLS_HELLO_REQUEST:
  case TLS_CLIENT_HELLO:
  case TLS_SERVER_HELLO:
  case TLS_HELLO_VERIFY:
  case TLS_NEW_SESSION_TICKET:
  case TLS_END_OF_EARLY_DATA:
  case TLS_ENCRYPTED_EXTENSIONS:
  case TLS_CERTIFICATE:
  case TLS_SERVER_KEY_EXCHANGE:
  case TLS_CERTIFICATE_REQUEST:
  case TLS_SERVER_HELLO_DONE:
  case TLS_CERTIFICATE_VERIFY:
  case TLS_CLIENT_KEY_EXCHANGE:
  case TLS_FINISHED:
  case TLS_CERTIFICATE_STATUS:
  case TLS_KEY_UPDATE:
    return true;
  default:
    return false;
  }
}

// The handshake messages of one record.
static enum app_confidence handshake_record(struct cur r, bool whole, bool datagram, struct app_info* out) {
  enum app_confidence got = APP_CONF_NONE;
  // A Finished message after an earlier segment's ChangeCipherSpec is noise behind a sound record header.
  enum app_confidence encrypted = whole && r.len >= 24 ? APP_CONF_STRONG : APP_CONF_NONE;
  while (cur_left(&r) >= 4) {
    uint8_t type = cur_u8(&r);
    uint32_t length = cur_u24(&r);
    if (datagram) cur_skip(&r, 8); // message number, fragment offset and length
    if (!handshake_type_fits(type) || length > 0x20000) return got ? got : encrypted;
    bool complete = length <= cur_left(&r);
    if (!complete && whole) return got ? got : encrypted;
    struct cur body = cur_sub_most(&r, length);
    if (!got) out->message = type;
    if (!tls_handshake(type, body, complete, datagram, out)) return APP_CONF_NONE;
    bool hello = type == TLS_CLIENT_HELLO || type == TLS_SERVER_HELLO;
    out->transactions += hello;
    if (hello && complete) got = APP_CONF_CERTAIN;
    if (got < APP_CONF_STRONG) got = APP_CONF_STRONG;
  }
  return got;
}

static bool alert_record(struct cur r, uint16_t length, struct app_info* out) {
  if (length != 2) return length >= 18; // encrypted: at least a tag
  uint8_t level = cur_u8(&r);
  uint8_t description = cur_u8(&r);
  if (r.bad) return true;
  out->code = description;
  return level == 1 || level == 2;
}

// One record. Returns false when the bytes at c are no record.
static bool tls_record(struct cur* c, bool datagram, bool* clear, enum app_confidence* best,
                       struct app_info* out) {
  uint8_t type = cur_u8(c);
  uint16_t version = cur_u16(c);
  uint16_t epoch = 0;
  if (datagram) {
    epoch = cur_u16(c);
    cur_skip(c, 6);
  }
  uint16_t length = cur_u16(c);
  if (c->bad || !in_range(type, RECORD_CHANGE_CIPHER, RECORD_HEARTBEAT) || length > RECORD_MAX) return false;
  if (!(datagram ? dtls_version_fits(version) : tls_version_fits(version))) return false;
  bool whole = length <= cur_left(c);
  struct cur r = cur_sub_most(c, length);
  enum app_confidence got = whole ? APP_CONF_STRONG : APP_CONF_WEAK;
  if (!out->version) out->version = version;
  switch (type) {
  case RECORD_CHANGE_CIPHER:
    if (length != 1 || (whole && r.data[0] != 1)) return false;
    *clear = false;
    break;
  case RECORD_ALERT:
    if (!alert_record(r, length, out)) return false;
    break;
  case RECORD_HANDSHAKE:
    if (length < 4) return false;
    if (*clear && !epoch) got = handshake_record(r, whole, datagram, out);
    if (!got) return false;
    break;
  case RECORD_HEARTBEAT:
    if (length < 19) return false;
    break;
  default: // application data: opaque
    if (!length && !datagram) return false;
    *clear = false;
    break;
  }
  if (!whole) out->body_len = length - r.len;
  if (got > *best) *best = got;
  return true;
}

// The hello of SSL 2 that old clients open with: two-byte length with the top bit set, then type 1.
static enum app_confidence ssl2_hello(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint16_t length = cur_u16(&c);
  uint8_t type = cur_u8(&c);
  uint16_t version = cur_u16(&c);
  uint16_t ciphers = cur_u16(&c);
  uint16_t session = cur_u16(&c);
  uint16_t challenge = cur_u16(&c);
  if (c.bad || !(length & 0x8000) || type != TLS_CLIENT_HELLO) return app_not();
  if (version != 0x0002 && !tls_version_fits(version)) return app_not();
  if (!ciphers || ciphers % 3 || (session && session != 16) || !in_range(challenge, 16, 32)) return app_not();
  if ((length & 0x7fffu) != 9u + ciphers + session + challenge) return app_not();
  out->message = TLS_CLIENT_HELLO;
  out->version = version;
  out->transactions = 1;
  return app_is(out, APP_TLS, APP_CONF_CERTAIN);
}

static enum app_confidence tls_records(const struct app_input* in, bool datagram, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  enum app_confidence best = APP_CONF_NONE;
  bool clear = true;
  while (cur_left(&c) >= 5)
    if (!tls_record(&c, datagram, &clear, &best, out)) return best ? best : app_broken(out, APP_TLS);
  return best;
}

enum app_confidence app_tls(const struct app_input* in, struct app_info* out) {
  if (in->len < 5) return app_not();
  if (in->payload[0] & 0x80) return ssl2_hello(in, out);
  if (!in_range(in->payload[0], RECORD_CHANGE_CIPHER, RECORD_HEARTBEAT) || in->payload[1] != 3)
    return app_not();
  enum app_confidence got = tls_records(in, false, out);
  return got ? app_is(out, APP_TLS, got) : got;
}

enum app_confidence app_dtls(const struct app_input* in, struct app_info* out) {
  if (in->len < 13) return app_not();
  if (!in_range(in->payload[0], RECORD_CHANGE_CIPHER, RECORD_HEARTBEAT)) return app_not();
  if (!dtls_version_fits(get_u16(in->payload + 1))) return app_not();
  enum app_confidence got = tls_records(in, true, out);
  return got ? app_is(out, APP_TLS, got) : got;
}
