// SNMP v1, v2c and v3 (RFC 3416, RFC 3412): the BER shell down to the PDU's error fields.
#include "app_proto.h"

enum {
  BER_INTEGER = 2,
  BER_OCTETS = 4,
  BER_SEQUENCE = 0x30,
  PDU_FIRST = 0xa0,
  PDU_TRAP_V1 = 0xa4,
  PDU_LAST = 0xa8
};

static struct cur ber(struct cur* c, uint8_t* tag) {
  *tag = cur_u8(c);
  uint32_t n = cur_u8(c);
  if (n & 0x80) {
    uint32_t bytes = n & 0x7f;
    if (bytes < 1 || bytes > 3) c->bad = true;
    for (n = 0; bytes && !c->bad; bytes--)
      n = n << 8 | cur_u8(c);
  }
  return cur_sub(c, n);
}

static bool ber_integer(struct cur* c, uint32_t* value) {
  uint8_t tag;
  struct cur e = ber(c, &tag);
  if (tag != BER_INTEGER || e.bad || e.len < 1 || e.len > 5) return false;
  *value = 0;
  while (cur_left(&e))
    *value = *value << 8 | cur_u8(&e);
  return true;
}

static bool bindings(struct cur pdu) {
  uint8_t tag;
  struct cur list = ber(&pdu, &tag);
  if (tag != BER_SEQUENCE || list.bad) return false;
  while (cur_left(&list)) {
    struct cur pair = ber(&list, &tag);
    if (tag != BER_SEQUENCE || pair.bad) return false;
    struct cur name = ber(&pair, &tag);
    if (tag != 6 || name.bad) return false;
    struct cur value = ber(&pair, &tag);
    if (value.bad || cur_left(&pair)) return false;
  }
  return true;
}

static bool pdu_fits(struct cur c, struct app_info* out) {
  uint8_t tag;
  uint32_t error, index;
  struct cur pdu = ber(&c, &tag);
  if (pdu.bad || !in_range(tag, PDU_FIRST, PDU_LAST)) return false;
  if (tag == PDU_TRAP_V1) return pdu.len > 10;
  if (!ber_integer(&pdu, &out->id) || !ber_integer(&pdu, &error) || !ber_integer(&pdu, &index)) return false;
  out->code = (uint16_t)error;
  return bindings(pdu);
}

// Version 3: a header with four fields, security parameters, and a scoped PDU that may be encrypted.
static bool version3(struct cur c, struct app_info* out) {
  uint8_t tag;
  uint32_t max_size;
  struct cur header = ber(&c, &tag);
  if (tag != BER_SEQUENCE || !ber_integer(&header, &out->id) || !ber_integer(&header, &max_size))
    return false;
  struct cur flags = ber(&header, &tag);
  if (tag != BER_OCTETS || flags.len != 1 || max_size < 484) return false;
  struct cur security = ber(&c, &tag);
  if (tag != BER_OCTETS || security.bad) return false;
  struct cur scoped = ber(&c, &tag);
  return !scoped.bad && (tag == BER_SEQUENCE || tag == BER_OCTETS);
}

enum app_confidence app_snmp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t tag;
  uint32_t version;
  struct cur message = ber(&c, &tag);
  if (tag != BER_SEQUENCE || message.bad || cur_left(&c) || !ber_integer(&message, &version))
    return app_not();
  out->version = (uint16_t)version;
  out->transactions = 1;
  if (version == 3)
    return version3(message, out) ? app_is_other(out, OTHER_SNMP, APP_CONF_CERTAIN) : app_not();
  if (version > 1) return app_not();
  struct cur community = ber(&message, &tag);
  if (tag != BER_OCTETS || community.bad || !pdu_fits(message, out)) return app_not();
  return app_is_other(out, OTHER_SNMP, APP_CONF_CERTAIN);
}
