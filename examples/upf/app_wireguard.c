// WireGuard: four message types with fixed or sixteen-byte-aligned lengths and three reserved zero bytes.
#include "app_proto.h"

enum { INITIATION = 1, RESPONSE = 2, COOKIE = 3, TRANSPORT = 4 };

enum app_confidence app_wireguard(const struct app_input* in, struct app_info* out) {
  if (in->len < 32 || get_le32(in->payload) > TRANSPORT) return app_not();
  out->id = get_le32(in->payload + 4);
  switch (in->payload[0]) {
  case INITIATION:
    if (in->len != 148) return app_not();
    break;
  case RESPONSE:
    if (in->len != 92) return app_not();
    break;
  case COOKIE:
    if (in->len != 64) return app_not();
    break;
  case TRANSPORT:
    // The counter of a tunnel's life cannot reach the top bits.
    if (in->len % 16 || get_le32(in->payload + 12) > 0xff) return app_not();
    return app_is_other(out, OTHER_WIREGUARD, APP_CONF_WEAK);
  default:
    return app_not();
  }
  out->transactions = 1;
  return app_is_other(out, OTHER_WIREGUARD, APP_CONF_STRONG);
}
