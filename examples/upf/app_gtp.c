// GTP inside GTP: tunnels of a network behind the UE (RAN sharing, private networks). Versions 1 and 2.
#include "app_proto.h"

enum { GTP_C = 2123, GTP_U = 2152, G_PDU = 255 };

static bool version1(struct cur c, uint8_t first, const struct app_input* in, struct app_info* out) {
  out->code = cur_u8(&c);
  uint16_t length = cur_u16(&c);
  out->id = cur_u32(&c);
  if (c.bad || length != cur_left(&c) || !(first & 0x10)) return false;
  if (first & 7) {
    cur_u16(&c); // sequence
    cur_u8(&c);
    uint8_t next = cur_u8(&c);
    while ((first & 4) && next) {
      uint8_t units = cur_u8(&c);
      if (!units || !cur_skip(&c, units * 4u - 2)) return false;
      next = cur_u8(&c);
    }
  }
  if (c.bad) return false;
  if (out->code != G_PDU) return out->code <= 128;
  if (!app_port_is(in, GTP_U) || !cur_left(&c)) return false;
  uint8_t inner = cur_u8(&c) >> 4;
  return inner == 4 || inner == 6;
}

static bool version2(struct cur c, uint8_t first, struct app_info* out) {
  out->code = cur_u8(&c);
  uint16_t length = cur_u16(&c);
  bool piggybacked = first & 0x10;
  if (c.bad || length < 4 || (!piggybacked && length != cur_left(&c))) return false;
  if (first & 8) out->id = cur_u32(&c);
  cur_u32(&c); // sequence
  struct cur elements = cur_sub(&c, length - (first & 8 ? 8u : 4u));
  while (cur_left(&elements) && !elements.bad) {
    cur_u8(&elements);
    uint16_t n = cur_u16(&elements);
    cur_u8(&elements);
    cur_skip(&elements, n);
  }
  return !elements.bad && !c.bad;
}

enum app_confidence app_gtp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  if (!app_port_is(in, GTP_C) && !app_port_is(in, GTP_U)) return app_not();
  uint8_t first = cur_u8(&c);
  out->version = first >> 5;
  bool fits = out->version == 1 ? version1(c, first, in, out) : out->version == 2 && version2(c, first, out);
  if (!fits) return app_not();
  out->transactions = 1;
  return app_is_other(out, OTHER_GTP, APP_CONF_CERTAIN);
}
