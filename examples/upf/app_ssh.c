// SSH (RFC 4253): the identification lines and the key exchange's opening message.
//
// The banner may follow other lines of the server. KEXINIT is ten name lists in a binary packet, in the
// clear; their fingerprint (MD5 over the lists that HASSH uses) goes to info->id. What follows the key
// exchange is encrypted.
#include "app_md5.h"
#include "app_proto.h"
#include "app_text.h"

enum {
  SSH_PORT = 22,
  MSG_DISCONNECT = 1,
  MSG_KEXINIT = 20,
  MSG_NEWKEYS = 21,
  MSG_KEX_LAST = 34,
  LISTS = 10,
  SSH_BANNER = 64,
  PACKET_MAX = 35000
};

static bool banner(struct str line, struct app_info* out) {
  struct str rest = {line.p + 4, line.n - 4}, version, software;
  if (!text_token(&rest, '-', &version) || !rest.n || line.n > 255) return false;
  if (text_equal(version, "2.0"))
    out->version = 0x0200;
  else if (text_equal(version, "1.99"))
    out->version = 0x0163;
  else if (text_equal(version, "1.5"))
    out->version = 0x0105;
  else
    return false;
  if (!text_token(&rest, ' ', &software)) return false;
  for (uint32_t i = 0; i < software.n; i++)
    if (software.p[i] <= ' ' || software.p[i] > '~') return false;
  out->message = SSH_BANNER;
  return true;
}

static bool name_list_fits(const struct cur* list) {
  for (uint32_t i = 0; i < list->len; i++) {
    uint8_t ch = list->data[i];
    if (ch <= ' ' || ch >= 0x7f) return false;
    if (ch == ',' && (i == 0 || i + 1 == list->len || list->data[i - 1] == ',')) return false;
  }
  return true;
}

// cookie[16], ten name lists, first_kex_packet_follows, reserved. `whole` is false when the segment cuts it.
static bool kexinit(struct cur c, bool whole, bool client, struct app_info* out) {
  struct md5 hassh;
  md5_begin(&hassh);
  cur_skip(&c, 16);
  for (int i = 0; i < LISTS; i++) {
    uint32_t n = cur_u32(&c);
    if (c.bad || n > cur_left(&c)) return !whole;
    struct cur list = cur_sub(&c, n);
    if (!name_list_fits(&list) || (i < 2 && !n)) return false;
    // Key exchange, then cipher, MAC and compression of the sender's own direction.
    bool counts = i == 0 || (i >= 2 && i < 8 && (i % 2 == 0) == client);
    if (!counts) continue;
    if (i) md5_add(&hassh, ";", 1);
    if (n) md5_add(&hassh, list.data, n);
  }
  if (cur_u8(&c) > 1 || cur_u32(&c) != 0 || c.bad) return false;
  uint8_t digest[16];
  md5_end(&hassh, digest);
  out->id = get_u32(digest);
  return true;
}

static enum app_confidence packet(struct cur* c, const struct app_input* in, struct app_info* out) {
  uint32_t length = cur_u32(c);
  uint8_t padding = cur_u8(c);
  uint8_t message = cur_u8(c);
  if (c->bad || length < 12 || length > PACKET_MAX || padding < 4 || padding + 2u > length) return app_not();
  if ((length + 4) % 8) return app_not();
  bool whole = length - 2 <= cur_left(c);
  struct cur body = cur_sub_most(c, length - 2);
  if (!out->message) out->message = message;
  if (message == MSG_KEXINIT) return kexinit(body, whole, in->uplink, out) ? APP_CONF_CERTAIN : app_not();
  bool known = (message >= MSG_NEWKEYS && message <= MSG_KEX_LAST) || in_range(message, MSG_DISCONNECT, 6);
  return known ? APP_CONF_WEAK : app_not();
}

enum app_confidence app_ssh(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  enum app_confidence best = APP_CONF_NONE;
  struct str line;
  bool ended;
  if (in->len < 4) return app_not();
  if (memcmp(in->payload, "SSH-", 4) == 0) {
    text_line(&c, &line, &ended);
    if (!banner(line, out)) return app_broken(out, APP_SSH);
    out->transactions = 1;
    best = ended ? APP_CONF_CERTAIN : APP_CONF_STRONG;
  }
  while (cur_left(&c) >= 16) {
    enum app_confidence got = packet(&c, in, out);
    if (!got) break;
    if (got > best) best = got;
  }
  return best ? app_is(out, APP_SSH, best) : app_not();
}
