// NetBIOS name service (RFC 1002): DNS's header with names of sixteen bytes, each half a letter from A to P.
#include "app_proto.h"

enum { NBNS_PORT = 137, TYPE_NB = 0x20, TYPE_NBSTAT = 0x21, ENCODED = 32 };

// Decodes the first level of a name; a pointer (in answers) is taken as it is.
static bool netbios_name(struct cur* c, char* host, uint16_t* host_len) {
  uint8_t n = cur_u8(c);
  if ((n & 0xc0) == 0xc0) {
    cur_u8(c);
    return !c->bad;
  }
  const uint8_t* p = cur_take(c, n);
  if (!p || n != ENCODED) return false;
  uint16_t length = 0;
  for (int i = 0; i < ENCODED; i += 2) {
    if (!in_range(p[i], 'A', 'P') || !in_range(p[i + 1], 'A', 'P')) return false;
    char ch = (char)((p[i] - 'A') << 4 | (p[i + 1] - 'A'));
    if (!host || i == ENCODED - 2) continue; // the last one is the kind of name
    if (ch >= 'A' && ch <= 'Z') ch = (char)(ch + 32);
    host[i / 2] = ch > ' ' && ch < 0x7f ? ch : '_';
    if (ch > ' ') length = (uint16_t)(i / 2 + 1);
  }
  if (host) {
    host[length] = 0;
    *host_len = length;
  }
  while (cur_left(c)) { // scope
    n = cur_u8(c);
    if (!n) return true;
    if (n > 63 || !cur_skip(c, n)) return false;
  }
  return false;
}

enum app_confidence app_nbns(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  out->id = cur_u16(&c);
  uint16_t flags = cur_u16(&c);
  uint16_t questions = cur_u16(&c);
  uint16_t answers = cur_u16(&c);
  uint16_t authorities = cur_u16(&c);
  uint16_t additional = cur_u16(&c);
  uint8_t opcode = flags >> 11 & 15;
  bool opcode_fits = opcode == 0 || in_range(opcode, 5, 9) || opcode == 15;
  if (c.bad || !app_port_is(in, NBNS_PORT) || !opcode_fits) return app_not();
  if (questions > 1 || answers > 1 || authorities > 1 || additional > 1 || questions + answers == 0)
    return app_not();
  if (!netbios_name(&c, out->host, &out->host_len)) return app_not();
  uint16_t type = cur_u16(&c);
  uint16_t cls = cur_u16(&c);
  if (c.bad || cls != 1 || (type != TYPE_NB && type != TYPE_NBSTAT)) return app_not();
  if (!questions) {
    cur_u32(&c); // time to live
    if (!cur_skip(&c, cur_u16(&c))) return app_not();
  } else if (additional) {
    if (!netbios_name(&c, NULL, NULL) || !cur_skip(&c, 8) || !cur_skip(&c, cur_u16(&c))) return app_not();
  }
  out->code = flags & 15;
  out->transactions = 1;
  return app_is_other(out, OTHER_NBNS, cur_left(&c) ? APP_CONF_STRONG : APP_CONF_CERTAIN);
}
