// BitTorrent: the peer handshake over TCP (BEP 3), the distributed hash table over UDP (BEP 5), and uTP (BEP
// 29).
#include "app_proto.h"

enum { HANDSHAKE = 68, BENCODE_DEPTH = 8, UTP_HEADER = 20 };

static bool bencode_number(struct cur* c, uint8_t end, uint32_t* value) {
  uint32_t v = 0, digits = 0;
  for (;;) {
    uint8_t ch = cur_u8(c);
    if (c->bad) return false;
    if (ch == end) break;
    if (ch == '-' && !digits && end == 'e') continue;
    if (ch < '0' || ch > '9' || ++digits > 9) return false;
    v = v * 10 + (uint32_t)(ch - '0');
  }
  *value = v;
  return digits > 0;
}

// Walks one bencoded dictionary without recursion: open lists and dictionaries are only counted. Sets *dht
// when the key that every DHT message has ("y") holds one of its values.
static bool bencode(struct cur c, bool* dht) {
  uint32_t depth = 0, n;
  bool had_y = false;
  do {
    uint8_t ch = cur_u8(&c);
    if (c.bad) return false;
    if (ch == 'd' || ch == 'l') {
      if (++depth > BENCODE_DEPTH) return false;
    } else if (ch == 'e') {
      if (!depth--) return false;
    } else if (ch == 'i') {
      if (!bencode_number(&c, 'e', &n)) return false;
    } else if (ch >= '0' && ch <= '9') {
      c.pos--;
      if (!bencode_number(&c, ':', &n)) return false;
      const uint8_t* s = cur_take(&c, n);
      if (!s) return false;
      if (had_y && n == 1 && (*s == 'q' || *s == 'r' || *s == 'e')) *dht = true;
      had_y = n == 1 && *s == 'y';
    } else {
      return false;
    }
  } while (depth);
  return cur_left(&c) == 0;
}

// Type and version, extension chain, connection, times, window, sequence and acknowledgement.
static bool utp(struct cur c, struct app_info* out) {
  uint8_t first = cur_u8(&c);
  uint8_t extension = cur_u8(&c);
  cur_u16(&c);
  cur_skip(&c, 8);
  uint32_t window = cur_u32(&c);
  uint16_t sequence = cur_u16(&c);
  uint16_t ack = cur_u16(&c);
  if (c.bad || (first & 15) != 1 || first >> 4 > 4 || window > 0x4000000) return false;
  while (extension) {
    if (extension > 3) return false;
    extension = cur_u8(&c);
    uint8_t n = cur_u8(&c);
    if (!n || !cur_skip(&c, n)) return false;
  }
  bool syn = first >> 4 == 4;
  out->seq = sequence;
  return syn ? sequence == 1 && ack == 0 && !cur_left(&c) : false;
}

enum app_confidence app_bittorrent(const struct app_input* in, struct app_info* out) {
  static const uint8_t hello[] = "\x13"
                                 "BitTorrent protocol";
  if (in->proto == 6) {
    if (in->len < 20 || memcmp(in->payload, hello, 20) != 0) return app_not();
    out->transactions = 1;
    return app_is_other(out, OTHER_BITTORRENT, in->len >= HANDSHAKE ? APP_CONF_CERTAIN : APP_CONF_STRONG);
  }
  struct cur c = cur_of(in->payload, in->len);
  bool dht = false;
  if (in->payload[0] == 'd' && bencode(c, &dht) && dht)
    return app_is_other(out, OTHER_BITTORRENT, APP_CONF_CERTAIN);
  if (in->len >= UTP_HEADER && utp(c, out)) return app_is_other(out, OTHER_BITTORRENT, APP_CONF_WEAK);
  return app_not();
}
