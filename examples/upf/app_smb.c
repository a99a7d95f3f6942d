// SMB 1 to 3 behind the NetBIOS session header (RFC 1002) or SMB's own over TCP.
#include "app_proto.h"

enum { SMB2_HEADER = 64, SMB1_HEADER = 32, SMB2_COMMANDS = 19 };

static bool smb1(struct cur c, struct app_info* out) {
  cur_skip(&c, 4);
  out->id = cur_u8(&c); // command
  cur_skip(&c, SMB1_HEADER - 5);
  uint8_t words = cur_u8(&c);
  cur_skip(&c, words * 2u);
  cur_u16(&c); // byte count
  out->version = 1;
  return !c.bad;
}

static bool smb2(struct cur c, struct app_info* out) {
  cur_skip(&c, 4);
  uint8_t size = cur_u8(&c);
  uint8_t size_high = cur_u8(&c);
  cur_skip(&c, 6);
  uint8_t command = cur_u8(&c);
  uint8_t command_high = cur_u8(&c);
  cur_skip(&c, SMB2_HEADER - 14);
  out->version = 2;
  out->id = command;
  return !c.bad && size == SMB2_HEADER && !size_high && !command_high && command < SMB2_COMMANDS;
}

// Names of a NetBIOS session request: each 32 letters behind their count.
static bool session_request(struct cur c) {
  for (int i = 0; i < 2; i++) {
    if (cur_u8(&c) != 32) return false;
    for (int k = 0; k < 32; k++)
      if (!in_range(cur_u8(&c), 'A', 'P')) return false;
    if (cur_u8(&c)) return false;
  }
  return !c.bad;
}

enum app_confidence app_smb(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t type = cur_u8(&c);
  uint32_t length = cur_u24(&c);
  bool own_port = app_port_is(in, 139) || app_port_is(in, 445);
  if (c.bad || length > 0x1ffff + 0x20000) return app_not();
  if (type && !own_port) return app_not();
  if (type == 0x81) return session_request(c) ? app_is_other(out, OTHER_SMB, APP_CONF_CERTAIN) : app_not();
  if (type >= 0x82 && type <= 0x85)
    return length <= 6 ? app_is_other(out, OTHER_SMB, APP_CONF_STRONG) : app_not();
  if (type || cur_left(&c) < 5) return app_not();
  struct cur message = cur_sub_most(&c, length);
  if (message.len < 5 || memcmp(message.data + 1, "SMB", 3) != 0) return app_not();
  out->transactions = 1;
  switch (message.data[0]) {
  case 0xff:
    return smb1(message, out) ? app_is_other(out, OTHER_SMB, APP_CONF_CERTAIN) : app_not();
  case 0xfe:
    return smb2(message, out) ? app_is_other(out, OTHER_SMB, APP_CONF_CERTAIN) : app_not();
  case 0xfd: // encrypted
  case 0xfc: // compressed
    return app_is_other(out, OTHER_SMB, APP_CONF_STRONG);
  default:
    return app_not();
  }
}
