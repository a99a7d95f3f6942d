// TFTP (RFC 1350, RFC 2347): requests with their options; data, acknowledgements and errors on TFTP's port.
#include "app_proto.h"
#include "app_text.h"

enum { RRQ = 1, WRQ = 2, DATA = 3, ACK = 4, ERROR = 5, OACK = 6 };

// The next zero-terminated printable string.
static bool zero_string(struct cur* c, struct str* s) {
  uint32_t left = cur_left(c);
  if (!left) return false;
  const uint8_t* p = c->data + c->pos;
  const uint8_t* end = memchr(p, 0, left);
  if (!end) return false;
  s->p = (const char*)p;
  s->n = (uint32_t)(end - p);
  cur_skip(c, s->n + 1);
  return text_printable(*s);
}

static bool option_pairs(struct cur* c) {
  struct str name, value;
  while (cur_left(c))
    if (!zero_string(c, &name) || !name.n || !zero_string(c, &value)) return false;
  return true;
}

enum app_confidence app_tftp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  struct str name, mode;
  uint16_t op = cur_u16(&c);
  if (c.bad || !in_range(op, RRQ, OACK)) return app_not();
  out->code = op;
  switch (op) {
  case RRQ:
  case WRQ:
    if (!zero_string(&c, &name) || !name.n || !zero_string(&c, &mode)) return app_not();
    if (!text_equal(mode, "octet") && !text_equal(mode, "netascii") && !text_equal(mode, "mail"))
      return app_not();
    if (!option_pairs(&c)) return app_not();
    out->transactions = 1;
    return app_is_other(out, OTHER_TFTP, APP_CONF_CERTAIN);
  case DATA:
    return cur_left(&c) >= 2 ? app_is_other(out, OTHER_TFTP, APP_CONF_WEAK) : app_not();
  case ACK:
    return cur_left(&c) == 2 ? app_is_other(out, OTHER_TFTP, APP_CONF_WEAK) : app_not();
  case ERROR:
    return cur_u16(&c) <= 8 && zero_string(&c, &name) ? app_is_other(out, OTHER_TFTP, APP_CONF_STRONG)
                                                      : app_not();
  default:
    return option_pairs(&c) ? app_is_other(out, OTHER_TFTP, APP_CONF_STRONG) : app_not();
  }
}
