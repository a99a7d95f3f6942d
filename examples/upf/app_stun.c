// STUN and TURN (RFC 8489, RFC 8656): the header with its magic cookie, the attributes, and TURN's
// ChannelData.
#include "app_proto.h"

enum {
  COOKIE = 0x2112a442,
  ATTR_USERNAME = 6,
  ATTR_FINGERPRINT = 0x8028,
  ATTR_XOR_MAPPED = 0x20,
  STUN_PORT = 3478
};

static bool attribute(uint16_t type, struct cur a) {
  switch (type) {
  case 0x0001: // MAPPED-ADDRESS, XOR-MAPPED-ADDRESS, XOR-PEER-ADDRESS, XOR-RELAYED-ADDRESS
  case ATTR_XOR_MAPPED:
  case 0x0012:
  case 0x0016:
    return (a.len == 8 && a.data[1] == 1) || (a.len == 20 && a.data[1] == 2);
  case ATTR_USERNAME:
    return a.len > 0 && a.len < 514;
  case 0x0008: // MESSAGE-INTEGRITY
    return a.len == 20;
  case 0x0009: // ERROR-CODE
    return a.len >= 4 && in_range(a.data[2] & 7, 3, 6) && a.data[3] < 100;
  case 0x000c: // CHANNEL-NUMBER
  case 0x000d: // LIFETIME
  case 0x0024: // PRIORITY
  case ATTR_FINGERPRINT:
    return a.len == 4;
  case 0x0025: // USE-CANDIDATE
    return a.len == 0;
  case 0x8029: // ICE-CONTROLLED, ICE-CONTROLLING
  case 0x802a:
    return a.len == 8;
  default:
    return true;
  }
}

static enum app_confidence message(struct cur c, const struct app_input* in, struct app_info* out) {
  uint16_t type = cur_u16(&c);
  uint16_t length = cur_u16(&c);
  uint32_t cookie = cur_u32(&c);
  cur_skip(&c, 12);
  if (c.bad || type & 0xc000 || length % 4 || length > cur_left(&c)) return app_not();
  bool modern = cookie == COOKIE;
  if (!modern && !app_port_is(in, STUN_PORT)) return app_not();
  struct cur attributes = cur_sub(&c, length);
  while (cur_left(&attributes)) {
    uint16_t attr = cur_u16(&attributes);
    uint16_t n = cur_u16(&attributes);
    struct cur a = cur_sub(&attributes, n);
    if (a.bad || !attribute(attr, a)) return app_not();
    if (n % 4) cur_sub_most(&attributes, 4u - n % 4);
  }
  out->id = type;
  out->transactions = 1;
  return app_is_other(out, OTHER_STUN, modern ? APP_CONF_CERTAIN : APP_CONF_STRONG);
}

enum app_confidence app_stun(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  if (in->len < 4) return app_not();
  if (in->payload[0] < 4) return message(c, in, out);
  uint16_t channel = cur_u16(&c);
  uint16_t length = cur_u16(&c);
  if (!app_port_is(in, STUN_PORT) || !in_range(channel, 0x4000, 0x4fff)) return app_not();
  if (length > cur_left(&c) || cur_left(&c) - length > 3) return app_not();
  return app_is_other(out, OTHER_STUN, APP_CONF_STRONG);
}
