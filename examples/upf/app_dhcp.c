// DHCP for IPv4 (RFC 2131, RFC 2132): the BOOTP header, the magic cookie, and the options with their lengths.
#include "app_proto.h"
#include "app_text.h"

enum {
  BOOTREQUEST = 1,
  BOOTREPLY = 2,
  COOKIE = 0x63825363,
  OPT_PAD = 0,
  OPT_MASK = 1,
  OPT_ROUTER = 3,
  OPT_DNS = 6,
  OPT_HOST_NAME = 12,
  OPT_DOMAIN = 15,
  OPT_MTU = 26,
  OPT_BROADCAST = 28,
  OPT_STATIC = 33,
  OPT_NTP = 42,
  OPT_REQUESTED = 50,
  OPT_LEASE = 51,
  OPT_OVERLOAD = 52,
  OPT_MESSAGE_TYPE = 53,
  OPT_SERVER = 54,
  OPT_PARAMETERS = 55,
  OPT_MAX_SIZE = 57,
  OPT_RENEWAL = 58,
  OPT_REBINDING = 59,
  OPT_CLIENT_ID = 61,
  OPT_CLASSLESS = 121,
  OPT_END = 255
};

struct dhcp {
  struct app_info* out;
  uint8_t type;
  uint8_t overload;
  bool ended;
};

// Prefix length, as many address bytes as it needs, router; repeated.
static bool classless_routes(struct cur c) {
  while (cur_left(&c)) {
    uint8_t bits = cur_u8(&c);
    if (bits > 32 || !cur_skip(&c, (bits + 7u) / 8 + 4)) return false;
  }
  return !c.bad;
}

static bool option(struct dhcp* d, uint8_t code, struct cur o) {
  struct str text = {(const char*)o.data, o.len};
  switch (code) {
  case OPT_MASK:
  case OPT_BROADCAST:
  case OPT_REQUESTED:
  case OPT_LEASE:
  case OPT_SERVER:
  case OPT_RENEWAL:
  case OPT_REBINDING:
    return o.len == 4;
  case OPT_ROUTER:
  case OPT_DNS:
  case OPT_NTP:
    return o.len >= 4 && o.len % 4 == 0;
  case OPT_STATIC:
    return o.len >= 8 && o.len % 8 == 0;
  case OPT_MTU:
    return o.len == 2 && get_u16(o.data) >= 68;
  case OPT_MAX_SIZE:
    return o.len == 2 && get_u16(o.data) >= 500;
  case OPT_HOST_NAME:
    if (o.len) text_host(d->out, text);
    return o.len >= 1;
  case OPT_DOMAIN:
    return o.len >= 1;
  case OPT_OVERLOAD:
    d->overload = o.len ? o.data[0] : 0;
    return o.len == 1 && in_range(d->overload, 1, 3);
  case OPT_MESSAGE_TYPE:
    d->type = o.len ? o.data[0] : 0;
    return o.len == 1 && in_range(d->type, 1, 18);
  case OPT_PARAMETERS:
    return o.len >= 1;
  case OPT_CLIENT_ID:
    return o.len >= 2;
  case OPT_CLASSLESS:
    return o.len >= 5 && classless_routes(o);
  default:
    return true;
  }
}

static bool options(struct dhcp* d, struct cur c) {
  while (cur_left(&c)) {
    uint8_t code = cur_u8(&c);
    if (code == OPT_PAD) continue;
    if (code == OPT_END) {
      d->ended = true;
      return true;
    }
    struct cur o = cur_sub(&c, cur_u8(&c));
    if (o.bad || !option(d, code, o)) return false;
  }
  return true;
}

// Requests come from clients (1, 3, 4, 7, 8), replies from servers (2, 5, 6).
static bool type_fits(uint8_t op, uint8_t type) {
  if (type == 2 || type == 5 || type == 6) return op == BOOTREPLY;
  return type > 8 || op == BOOTREQUEST;
}

enum app_confidence app_dhcp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  struct dhcp d = {.out = out};
  uint8_t op = cur_u8(&c);
  uint8_t hardware = cur_u8(&c);
  uint8_t address_len = cur_u8(&c);
  uint8_t hops = cur_u8(&c);
  out->id = cur_u32(&c);
  cur_skip(&c, 4 + 16); // seconds, flags, client, your, server and gateway addresses
  cur_skip(&c, 16);     // client hardware address
  struct cur server_name = cur_sub(&c, 64);
  struct cur boot_file = cur_sub(&c, 128);
  if (cur_u32(&c) != COOKIE || c.bad) return app_not();
  if ((op != BOOTREQUEST && op != BOOTREPLY) || !hardware || address_len > 16 || hops > 16)
    return app_broken(out, APP_DHCP);
  if (!options(&d, c)) return app_broken(out, APP_DHCP);
  if ((d.overload & 1) && !options(&d, boot_file)) return app_broken(out, APP_DHCP);
  if ((d.overload & 2) && !options(&d, server_name)) return app_broken(out, APP_DHCP);
  if (d.type && !type_fits(op, d.type)) return app_broken(out, APP_DHCP);
  out->message = d.type;
  out->transactions = 1;
  return app_is(out, APP_DHCP, d.ended && d.type ? APP_CONF_CERTAIN : APP_CONF_STRONG);
}
