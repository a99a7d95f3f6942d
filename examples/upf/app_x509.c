// Names in an X.509 certificate (RFC 5280), for TLS up to 1.2, where the server sends it in the clear.
//
// A walk over DER: Certificate > TBSCertificate > subject (common name) and extensions (subjectAltName). Only
// the path to these two is followed, and everything else is skipped by its length. The certificate may be cut
// by the segment's end; the subject comes early enough to be there mostly.
#include "app_text.h"
#include "app_tls.h"

enum {
  DER_INTEGER = 0x02,
  DER_BIT_STRING = 0x03,
  DER_OCTETS = 0x04,
  DER_OID = 0x06,
  DER_SEQUENCE = 0x30,
  DER_SET = 0x31,
  DER_VERSION = 0xa0,
  DER_EXTENSIONS = 0xa3,
  SAN_DNS_NAME = 0x82
};

// Reads one element's tag and length and returns a cursor over its content, cut at the end of what is there.
static struct cur der_next(struct cur* c, uint8_t* tag) {
  *tag = cur_u8(c);
  uint32_t n = cur_u8(c);
  if (n & 0x80) {
    uint32_t bytes = n & 0x7f;
    n = 0;
    if (bytes < 1 || bytes > 3)
      c->bad = true;
    else
      while (bytes--)
        n = n << 8 | cur_u8(c);
  }
  if (c->bad) return cur_sub(c, 1);
  return cur_sub_most(c, n);
}

static struct cur der_expect(struct cur* c, uint8_t want) {
  uint8_t tag;
  struct cur e = der_next(c, &tag);
  if (tag != want) e.bad = true;
  return e;
}

static bool oid_is(const struct cur* oid, const uint8_t* want, uint32_t n) {
  return !oid->bad && oid->len == n && memcmp(oid->data, want, n) == 0;
}

// The common name among the relative names of a subject.
static bool common_name(struct cur subject, struct app_info* out) {
  static const uint8_t cn[] = {0x55, 0x04, 0x03};
  while (cur_left(&subject)) {
    struct cur set = der_expect(&subject, DER_SET);
    struct cur pair = der_expect(&set, DER_SEQUENCE);
    struct cur oid = der_expect(&pair, DER_OID);
    uint8_t tag;
    struct cur value = der_next(&pair, &tag);
    if (set.bad || pair.bad || value.bad) return false;
    if (!oid_is(&oid, cn, sizeof cn)) continue;
    if (value.len >= 2 && value.data[0] == '*' && value.data[1] == '.') cur_skip(&value, 2);
    struct str name = {(const char*)value.data + value.pos, cur_left(&value)};
    return text_host(out, name);
  }
  return false;
}

static bool alternative_name(struct cur octets, struct app_info* out) {
  struct cur names = der_expect(&octets, DER_SEQUENCE);
  while (cur_left(&names)) {
    uint8_t tag;
    struct cur name = der_next(&names, &tag);
    if (tag != SAN_DNS_NAME || name.bad) continue;
    if (name.len >= 2 && name.data[0] == '*' && name.data[1] == '.') cur_skip(&name, 2);
    struct str s = {(const char*)name.data + name.pos, cur_left(&name)};
    return text_host(out, s);
  }
  return false;
}

static bool extensions_name(struct cur wrapped, struct app_info* out) {
  static const uint8_t san[] = {0x55, 0x1d, 0x11};
  struct cur list = der_expect(&wrapped, DER_SEQUENCE);
  while (cur_left(&list)) {
    struct cur one = der_expect(&list, DER_SEQUENCE);
    struct cur oid = der_expect(&one, DER_OID);
    if (one.bad) return false;
    if (!oid_is(&oid, san, sizeof san)) continue;
    uint8_t tag;
    struct cur value = der_next(&one, &tag);
    if (tag == 0x01) value = der_next(&one, &tag); // the critical flag comes first
    return tag == DER_OCTETS && alternative_name(value, out);
  }
  return false;
}

bool x509_name(struct cur der, struct app_info* out) {
  struct cur certificate = der_expect(&der, DER_SEQUENCE);
  struct cur tbs = der_expect(&certificate, DER_SEQUENCE);
  uint8_t tag;
  der_next(&tbs, &tag);
  if (tag == DER_VERSION) der_next(&tbs, &tag); // version, then serial number
  if (tag != DER_INTEGER) return false;
  der_expect(&tbs, DER_SEQUENCE); // signature algorithm
  der_expect(&tbs, DER_SEQUENCE); // issuer
  der_expect(&tbs, DER_SEQUENCE); // validity
  struct cur subject = der_expect(&tbs, DER_SEQUENCE);
  if (subject.bad || tbs.bad) return false;
  bool named = common_name(subject, out);
  der_expect(&tbs, DER_SEQUENCE); // public key
  while (cur_left(&tbs)) {
    struct cur e = der_next(&tbs, &tag);
    if (tag == DER_EXTENSIONS && extensions_name(e, out)) return true;
  }
  return named;
}
