// Diameter (RFC 6733): the header and the attribute-value pairs that fill it.
#include "app_proto.h"

enum { HEADER = 20, RESERVED_BITS = 0x0f };

enum app_confidence app_diameter(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t version = cur_u8(&c);
  uint32_t length = cur_u24(&c);
  uint8_t flags = cur_u8(&c);
  out->code = (uint16_t)cur_u24(&c);
  cur_u32(&c); // application
  out->id = cur_u32(&c);
  cur_u32(&c); // end to end
  if (c.bad || version != 1 || length < HEADER || length % 4 || (flags & RESERVED_BITS)) return app_not();
  bool whole = length - HEADER <= cur_left(&c);
  struct cur pairs = cur_sub_most(&c, length - HEADER);
  uint32_t n = 0;
  while (cur_left(&pairs) >= 8) {
    uint32_t code = cur_u32(&pairs);
    uint8_t avp_flags = cur_u8(&pairs);
    uint32_t size = cur_u24(&pairs);
    uint32_t header = avp_flags & 0x80 ? 12 : 8;
    if (!code || (avp_flags & 0x1f) || size < header) return app_not();
    n++;
    uint32_t body = (size + 3) / 4 * 4 - 8;
    if (!cur_skip(&pairs, body)) break; // goes on in the next segment
  }
  if (!n || (whole && pairs.bad)) return app_not();
  out->transactions = 1;
  return app_is_other(out, OTHER_DIAMETER, whole ? APP_CONF_CERTAIN : APP_CONF_STRONG);
}
