// Remote desktop: TPKT (RFC 1006) with an X.224 connection request or confirm, and RDP's negotiation behind
// it.
#include "app_proto.h"
#include "app_text.h"

enum { RDP_PORT = 3389, TPKT = 3, X224_REQUEST = 0xe0, X224_CONFIRM = 0xd0, X224_DATA = 0xf0 };

enum app_confidence app_rdp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t version = cur_u8(&c);
  uint8_t reserved = cur_u8(&c);
  uint16_t length = cur_u16(&c);
  uint8_t indicator = cur_u8(&c);
  uint8_t type = cur_u8(&c);
  if (c.bad || version != TPKT || reserved || length < 7) return app_not();
  bool own_port = app_port_is(in, RDP_PORT);
  if ((type & 0xf0) == X224_DATA && indicator == 2)
    return own_port ? app_is_other(out, OTHER_RDP, APP_CONF_STRONG) : app_not();
  if ((type != X224_REQUEST && type != X224_CONFIRM) || indicator != length - 5 || length != in->len)
    return app_not();
  if (!cur_skip(&c, 5)) return app_not(); // references and class
  out->transactions = 1;
  struct str cookie;
  bool ended, negotiates = false;
  if (cur_left(&c) > 8 && c.data[c.pos] == 'C' && text_line(&c, &cookie, &ended))
    negotiates = text_starts(cookie, "cookie: mstshash=") || text_starts(cookie, "cookie: msts=");
  if (cur_left(&c) >= 8) {
    uint8_t kind = cur_u8(&c);
    cur_u8(&c); // flags
    uint8_t low = cur_u8(&c);
    uint8_t high = cur_u8(&c);
    if (!in_range(kind, 1, 3) || (high << 8 | low) != 8) return app_not();
    negotiates = true;
  }
  if (!own_port && !negotiates) return app_not(); // other users of X.224
  return app_is_other(out, OTHER_RDP, APP_CONF_CERTAIN);
}
