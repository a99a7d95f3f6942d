// The messages of the TLS handshake: ClientHello and ServerHello with their extensions, Certificate, and the
// shapes of the others.
//
// A ClientHello is read for four things: the server's name, the first application protocol, the highest
// version offered, and the JA3 fingerprint (MD5 over version, ciphers, extensions, groups and point formats
// in decimal, GREASE values of RFC 8701 left out). Every extension with a known shape is checked, for a hello
// on a foreign port must earn its verdict. A hello cut by the segment's end is judged by the part that is
// there.
#include "app_md5.h"
#include "app_proto.h"
#include "app_text.h"
#include "app_tls.h"

enum {
  EXT_SERVER_NAME = 0,
  EXT_MAX_FRAGMENT = 1,
  EXT_STATUS_REQUEST = 5,
  EXT_GROUPS = 10,
  EXT_POINT_FORMATS = 11,
  EXT_SIGNATURES = 13,
  EXT_SRTP = 14,
  EXT_HEARTBEAT = 15,
  EXT_ALPN = 16,
  EXT_SCT = 18,
  EXT_PADDING = 21,
  EXT_ENCRYPT_THEN_MAC = 22,
  EXT_EXTENDED_MASTER = 23,
  EXT_COMPRESS_CERT = 27,
  EXT_RECORD_LIMIT = 28,
  EXT_TICKET = 35,
  EXT_PSK = 41,
  EXT_EARLY_DATA = 42,
  EXT_VERSIONS = 43,
  EXT_COOKIE = 44,
  EXT_PSK_MODES = 45,
  EXT_AUTHORITIES = 47,
  EXT_POST_AUTH = 49,
  EXT_SIGNATURES_CERT = 50,
  EXT_KEY_SHARE = 51,
  EXT_QUIC = 57,
  EXT_NEXT_PROTOCOL = 13172,
  EXT_QUIC_DRAFT = 0xffa5,
  EXT_RENEGOTIATION = 0xff01
};

struct hello {
  struct app_info* out;
  struct cur groups; // of the ClientHello, for the fingerprint
  struct cur formats;
  uint16_t best_version;
};

static bool is_grease(uint16_t v) {
  return (v & 0x0f0f) == 0x0a0a && (v >> 8) == (v & 0xff);
}

static uint16_t alpn_code(struct str name) {
  if (text_equal(name, "h2")) return 0x6832;
  if (text_starts(name, "h3")) return 0x6833;
  if (text_equal(name, "http/1.1") || text_equal(name, "http/1.0")) return 0x6831;
  return 0xffff;
}

// A vector with a two-byte length that must fill the extension, of items of the given size.
static bool fills16(struct cur* e, uint32_t item) {
  uint16_t n = cur_u16(e);
  return !e->bad && n == cur_left(e) && n >= item && n % item == 0;
}

static bool fills8(struct cur* e, uint32_t item) {
  uint8_t n = cur_u8(e);
  return !e->bad && n == cur_left(e) && n >= item && n % item == 0;
}

static bool ext_server_name(struct hello* h, struct cur e) {
  if (!cur_left(&e)) return true; // the server's acknowledgement
  uint16_t list = cur_u16(&e);
  if (list != cur_left(&e)) return false;
  while (cur_left(&e)) {
    uint8_t type = cur_u8(&e);
    uint16_t n = cur_u16(&e);
    const uint8_t* p = cur_take(&e, n);
    if (!p) return false;
    struct str name = {(const char*)p, n};
    if (type == 0 && !text_host(h->out, name)) return false;
  }
  return true;
}

static bool ext_alpn(struct hello* h, struct cur e) {
  if (!fills16(&e, 1)) return false;
  while (cur_left(&e)) {
    uint8_t n = cur_u8(&e);
    const uint8_t* p = cur_take(&e, n);
    if (!p || !n) return false;
    struct str name = {(const char*)p, n};
    bool grease = n == 2 && is_grease(get_u16(p));
    if (!h->out->alpn && !grease) h->out->alpn = alpn_code(name);
  }
  return true;
}

static bool ext_versions(struct hello* h, struct cur e, bool client) {
  if (client && !fills8(&e, 2)) return false;
  while (cur_left(&e) >= 2) {
    uint16_t v = cur_u16(&e);
    if (!is_grease(v) && v > h->best_version && v < 0x7f00) h->best_version = v;
  }
  return cur_left(&e) == 0;
}

static bool ext_key_share(struct cur e, bool client) {
  if (client) {
    uint16_t n = cur_u16(&e);
    if (n != cur_left(&e)) return false;
    while (cur_left(&e)) {
      cur_u16(&e);
      uint16_t length = cur_u16(&e);
      if (!length || !cur_skip(&e, length)) return false;
    }
    return true;
  }
  cur_u16(&e);
  if (!cur_left(&e)) return true; // HelloRetryRequest names the group only
  return cur_skip(&e, cur_u16(&e)) && !cur_left(&e);
}

static bool ext_psk(struct cur e, bool client) {
  if (!client) return cur_left(&e) == 2;
  struct cur ids = cur_sub(&e, cur_u16(&e));
  if (ids.bad || ids.len < 7) return false;
  while (cur_left(&ids)) {
    uint16_t n = cur_u16(&ids);
    if (!n || !cur_skip(&ids, n + 4u)) return false;
  }
  return fills16(&e, 1);
}

static bool ext_quic_parameters(struct cur e) {
  while (cur_left(&e)) { // identifier, length, value: all of variable length
    for (int i = 0; i < 2; i++) {
      uint8_t first = cur_u8(&e);
      uint32_t v = first & 0x3f;
      for (uint32_t more = (1u << (first >> 6)) - 1; more; more--)
        v = v << 8 | cur_u8(&e);
      if (i == 1 && !cur_skip(&e, v)) return false;
    }
  }
  return !e.bad;
}

static bool ext_status_request(struct cur e, bool client) {
  if (!client || cur_u8(&e) != 1) return true;
  return cur_skip(&e, cur_u16(&e)) && cur_skip(&e, cur_u16(&e)) && !cur_left(&e);
}

static bool ext_srtp(struct cur e) {
  struct cur profiles = cur_sub(&e, cur_u16(&e));
  uint8_t mki = cur_u8(&e);
  return !e.bad && profiles.len >= 2 && profiles.len % 2 == 0 && mki == cur_left(&e);
}

// One extension, whole. False if it breaks its own rules.
static bool extension(struct hello* h, uint16_t type, struct cur e, bool client) {
  switch (type) {
  case EXT_SERVER_NAME:
    return ext_server_name(h, e);
  case EXT_MAX_FRAGMENT:
    return e.len == 1 && in_range(e.data[0], 1, 4);
  case EXT_STATUS_REQUEST:
    return ext_status_request(e, client);
  case EXT_GROUPS:
    if (!fills16(&e, 2)) return false;
    if (client) h->groups = e;
    return true;
  case EXT_POINT_FORMATS:
    if (!fills8(&e, 1)) return false;
    if (client) h->formats = e;
    return true;
  case EXT_SIGNATURES:
  case EXT_SIGNATURES_CERT:
    return fills16(&e, 2);
  case EXT_SRTP:
    return ext_srtp(e);
  case EXT_HEARTBEAT:
    return e.len == 1 && in_range(e.data[0], 1, 2);
  case EXT_ALPN:
    return ext_alpn(h, e);
  case EXT_ENCRYPT_THEN_MAC:
  case EXT_EXTENDED_MASTER:
  case EXT_POST_AUTH:
    return e.len == 0;
  case EXT_COMPRESS_CERT:
    return fills8(&e, 2);
  case EXT_RECORD_LIMIT:
    return e.len == 2 && get_u16(e.data) >= 64;
  case EXT_PSK:
    return ext_psk(e, client);
  case EXT_EARLY_DATA:
    return e.len == 0 || e.len == 4;
  case EXT_VERSIONS:
    return ext_versions(h, e, client);
  case EXT_COOKIE:
    return fills16(&e, 1);
  case EXT_PSK_MODES:
    return fills8(&e, 1);
  case EXT_AUTHORITIES:
    return fills16(&e, 1);
  case EXT_KEY_SHARE:
    return ext_key_share(e, client);
  case EXT_QUIC:
  case EXT_QUIC_DRAFT:
    return ext_quic_parameters(e);
  case EXT_RENEGOTIATION:
    return e.len >= 1 && e.data[0] == e.len - 1;
  default: // tickets, padding, SCT, next protocol, GREASE and private ones hold anything
    return true;
  }
}

static void ja3_list(struct md5* m, struct cur c, uint32_t item) {
  bool first = true;
  while (cur_left(&c) >= item) {
    uint16_t v = item == 2 ? cur_u16(&c) : cur_u8(&c);
    if (item == 2 && is_grease(v)) continue;
    if (!first) md5_add(m, "-", 1);
    md5_decimal(m, v);
    first = false;
  }
}

static uint32_t ja3_end(struct md5* m) {
  uint8_t digest[16];
  md5_end(m, digest);
  return get_u32(digest);
}

// Walks the extensions and adds their types to the fingerprint. False if one breaks its rules.
static bool extensions(struct hello* h, struct cur e, bool client, struct md5* ja3) {
  bool first = true;
  while (cur_left(&e) >= 4) {
    uint16_t type = cur_u16(&e);
    uint16_t length = cur_u16(&e);
    if (!is_grease(type)) {
      if (!first) md5_add(ja3, "-", 1);
      md5_decimal(ja3, type);
      first = false;
    }
    if (length > cur_left(&e)) return true; // goes on in the next segment
    if (!extension(h, type, cur_sub(&e, length), client)) return false;
  }
  return true;
}

bool tls_client_hello(struct cur c, bool whole, bool datagram, struct app_info* out) {
  struct hello h = {.out = out};
  struct md5 ja3;
  uint16_t version = cur_u16(&c);
  cur_skip(&c, 32);
  uint8_t session = cur_u8(&c);
  cur_skip(&c, session);
  if (datagram) cur_skip(&c, cur_u8(&c)); // cookie
  uint16_t cipher_bytes = cur_u16(&c);
  struct cur ciphers = cur_sub(&c, cipher_bytes);
  uint8_t methods = cur_u8(&c);
  cur_skip(&c, methods);
  bool version_fits = datagram ? version >> 8 == 0xfe : in_range(version, 0x0300, 0x0304);
  if (c.len >= 2 && !version_fits) return false;
  if (c.bad) return !whole;
  if (session > 32 || cipher_bytes < 2 || cipher_bytes % 2 || !methods) return false;
  out->version = version;
  md5_begin(&ja3);
  md5_decimal(&ja3, version);
  md5_add(&ja3, ",", 1);
  ja3_list(&ja3, ciphers, 2);
  md5_add(&ja3, ",", 1);
  if (cur_left(&c)) {
    uint16_t n = cur_u16(&c);
    if (whole && n != cur_left(&c)) return false;
    if (!extensions(&h, cur_sub_most(&c, n), true, &ja3)) return false;
  }
  md5_add(&ja3, ",", 1);
  ja3_list(&ja3, h.groups, 2);
  md5_add(&ja3, ",", 1);
  ja3_list(&ja3, h.formats, 1);
  out->id = ja3_end(&ja3);
  if (h.best_version) out->version = h.best_version;
  return true;
}

bool tls_server_hello(struct cur c, bool whole, struct app_info* out) {
  struct hello h = {.out = out};
  struct md5 ja3;
  uint16_t version = cur_u16(&c);
  cur_skip(&c, 32);
  uint8_t session = cur_u8(&c);
  cur_skip(&c, session);
  uint16_t cipher = cur_u16(&c);
  uint8_t method = cur_u8(&c);
  if (c.bad) return !whole;
  if (session > 32 || method > 1 || is_grease(cipher)) return false;
  out->version = version;
  md5_begin(&ja3);
  md5_decimal(&ja3, version);
  md5_add(&ja3, ",", 1);
  md5_decimal(&ja3, cipher);
  md5_add(&ja3, ",", 1);
  if (cur_left(&c)) {
    uint16_t n = cur_u16(&c);
    if (whole && n != cur_left(&c)) return false;
    if (!extensions(&h, cur_sub_most(&c, n), false, &ja3)) return false;
  }
  out->id = ja3_end(&ja3);
  if (h.best_version) out->version = h.best_version;
  return true;
}

// TLS 1.2: a list of certificates, each behind its length; the first is the server's own.
static bool certificate(struct cur c, bool whole, struct app_info* out) {
  uint32_t list = cur_u24(&c);
  if (c.bad || (whole && list != cur_left(&c))) return !whole;
  uint32_t n = cur_u24(&c);
  if (c.bad) return !whole || list == 0;
  if (n > list) return false;
  x509_name(cur_sub_most(&c, n), out);
  return true;
}

static bool new_session_ticket(struct cur c, bool whole) {
  cur_skip(&c, 4);
  uint16_t n = cur_u16(&c);
  return !whole || (!c.bad && n <= cur_left(&c));
}

static bool key_exchange(struct cur c, bool whole) {
  uint8_t curve_type = cur_u8(&c);
  if (c.bad) return !whole;
  if (curve_type != 3) return true; // explicit curves or finite-field groups
  cur_u16(&c);
  uint8_t point = cur_u8(&c);
  return c.bad ? !whole : point >= 32;
}

bool tls_handshake(uint8_t type, struct cur body, bool whole, bool datagram, struct app_info* out) {
  switch (type) {
  case TLS_CLIENT_HELLO:
    return tls_client_hello(body, whole, datagram, out);
  case TLS_SERVER_HELLO:
    return tls_server_hello(body, whole, out);
  case TLS_CERTIFICATE:
    return certificate(body, whole, out);
  case TLS_NEW_SESSION_TICKET:
    return new_session_ticket(body, whole);
  case TLS_SERVER_KEY_EXCHANGE:
    return key_exchange(body, whole);
  case TLS_HELLO_REQUEST:
  case TLS_SERVER_HELLO_DONE:
  case TLS_END_OF_EARLY_DATA:
    return body.len == 0;
  default:
    return true;
  }
}
