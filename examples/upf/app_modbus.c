// Modbus over TCP: the MBAP header and the function codes with the lengths of their requests and responses.
#include "app_proto.h"

enum { MODBUS_PORT = 502, MBAP = 7 };

static bool function_fits(uint8_t function, const uint8_t* data, uint32_t n) {
  if (function & 0x80) return n == 1 && in_range(data[0], 1, 11);
  switch (function) {
  case 1:
  case 2:
  case 3:
  case 4: // reads: address and count, or byte count and data
    return n == 4 || (n >= 1 && data[0] == n - 1);
  case 5:
  case 6:
    return n == 4;
  case 15:
  case 16:
    return n == 4 || (n >= 6 && data[4] == n - 5);
  case 7:
  case 11:
  case 12:
  case 17:
    return true;
  case 8:
    return n >= 4;
  case 20:
  case 21:
  case 22:
  case 23:
  case 24:
  case 43:
  case 90:
    return n >= 1;
  default:
    return false;
  }
}

enum app_confidence app_modbus(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint32_t frames = 0;
  while (cur_left(&c) > MBAP) {
    out->id = cur_u16(&c);
    uint16_t protocol = cur_u16(&c);
    uint16_t length = cur_u16(&c);
    cur_u8(&c); // unit
    if (protocol || !in_range(length, 2, 254)) break;
    struct cur pdu = cur_sub(&c, length - 1u);
    uint8_t function = cur_u8(&pdu);
    if (pdu.bad || !function_fits(function, pdu.data + 1, pdu.len - 1)) break;
    out->code = function;
    frames++;
  }
  if (!frames || cur_left(&c)) return app_not();
  out->transactions = (uint8_t)(frames > 255 ? 255 : frames);
  return app_is_other(out, OTHER_MODBUS, app_port_is(in, MODBUS_PORT) ? APP_CONF_CERTAIN : APP_CONF_WEAK);
}
