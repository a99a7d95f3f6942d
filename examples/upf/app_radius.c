// RADIUS (RFC 2865, RFC 2866): code, length, authenticator, and attributes that fill the length exactly.
#include "app_proto.h"

enum { RADIUS_HEADER = 20 };

static bool code_fits(uint8_t code) {
  return in_range(code, 1, 5) || code == 11 || in_range(code, 40, 45);
}

enum app_confidence app_radius(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t code = cur_u8(&c);
  out->id = cur_u8(&c);
  uint16_t length = cur_u16(&c);
  cur_skip(&c, 16);
  if (c.bad || !code_fits(code) || length < RADIUS_HEADER || length != in->len) return app_not();
  uint32_t attributes = 0;
  while (cur_left(&c)) {
    uint8_t type = cur_u8(&c);
    uint8_t n = cur_u8(&c);
    if (!type || n < 2 || !cur_skip(&c, n - 2u)) return app_not();
    bool four = type == 4 || type == 5 || type == 8 || type == 27; // addresses, ports, time-outs
    if (four && n != 6) return app_not();
    attributes++;
  }
  bool own_port = app_port_is(in, 1812) || app_port_is(in, 1813);
  if (!own_port && !attributes) return app_not();
  out->code = code;
  out->transactions = 1;
  return app_is_other(out, OTHER_RADIUS, own_port ? APP_CONF_CERTAIN : APP_CONF_STRONG);
}
