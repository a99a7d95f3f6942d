// CoAP (RFC 7252): header, token, options in rising order, payload marker.
#include "app_proto.h"
#include "app_text.h"

enum { COAP_PORT = 5683, OPT_URI_HOST = 3, OPT_LAST = 292, PAYLOAD_MARKER = 0xff };

// Option deltas and lengths: 13 and 14 announce one and two more bytes, 15 is reserved.
static bool extended(struct cur* c, uint32_t* v) {
  if (*v == 13)
    *v = 13u + cur_u8(c);
  else if (*v == 14)
    *v = 269u + cur_u16(c);
  else if (*v == 15)
    return false;
  return !c->bad;
}

static bool code_fits(uint8_t code) {
  uint8_t cls = code >> 5, detail = code & 31;
  if (cls == 0) return detail <= 7;
  return (cls == 2 && detail <= 31) || (cls == 4 && detail <= 29) || (cls == 5 && detail <= 8);
}

enum app_confidence app_coap(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t first = cur_u8(&c);
  uint8_t code = cur_u8(&c);
  out->id = cur_u16(&c);
  if (c.bad || first >> 6 != 1 || (first & 15) > 8 || !code_fits(code)) return app_not();
  if (!code && (in->len != 4 || (first & 15))) return app_not(); // empty messages are empty
  cur_skip(&c, first & 15);
  uint32_t number = 0, options = 0;
  while (cur_left(&c)) {
    uint8_t head = cur_u8(&c);
    if (head == PAYLOAD_MARKER) {
      if (!cur_left(&c)) return app_not();
      break;
    }
    uint32_t delta = head >> 4, length = head & 15;
    if (!extended(&c, &delta) || !extended(&c, &length)) return app_not();
    number += delta;
    const uint8_t* value = cur_take(&c, length);
    if (!value || number > OPT_LAST + 2048) return app_not();
    struct str host = {(const char*)value, length};
    if (number == OPT_URI_HOST && !text_host(out, host)) return app_not();
    options++;
  }
  bool own_port = app_port_is(in, COAP_PORT);
  if (c.bad || (!own_port && !options)) return app_not();
  out->code = code;
  out->transactions = 1;
  return app_is_other(out, OTHER_COAP, own_port ? APP_CONF_CERTAIN : APP_CONF_WEAK);
}
