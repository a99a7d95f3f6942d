// QUIC (RFC 8999, RFC 9000, RFC 9369) and the drafts and Google versions still seen: the long header.
//
// Version negotiation, Retry, and the Initial, 0-RTT and Handshake packets of a coalesced datagram are walked
// by their lengths. The server's name would need the Initial's keys; what can be read without them is the
// version, the connection ids, the token and the shape, and these suffice to know the application. A short
// header has no shape that tells it from noise, so a flow is known by its first packets or not at all.
#include "app_proto.h"

enum {
  LONG_HEADER = 0x80,
  FIXED_BIT = 0x40,
  CID_MAX = 20,
  INITIAL_MIN = 1200,
  RETRY_TAG = 16,
  QUIC_V1 = 0x00000001,
  QUIC_V2 = 0x6b3343cf
};

enum quic_packet { QUIC_INITIAL, QUIC_ZERO_RTT, QUIC_HANDSHAKE, QUIC_RETRY, QUIC_NEGOTIATION, QUIC_GOOGLE };

static uint64_t variable_int(struct cur* c) {
  uint8_t first = cur_u8(c);
  uint64_t v = first & 0x3f;
  for (uint32_t more = (1u << (first >> 6)) - 1; more; more--)
    v = v << 8 | cur_u8(c);
  return v;
}

// 0: not known; 1: the header of RFC 9000; 2: a draft that is older than that layout; 3: Google's with a text
// version.
static int version_kind(uint32_t version) {
  if (version == QUIC_V1 || version == QUIC_V2) return 1;
  if ((version >> 8) == 0xff0000) return in_range(version & 0xff, 23, 34) ? 1 : 2;
  if ((version & 0x0f0f0f0f) == 0x0a0a0a0a) return 1;                 // reserved to provoke negotiation
  if ((version >> 4) == 0xfaceb00 || version == 0x709a50c4) return 1; // mvfst, and the draft of version 2
  if (version >> 24 == 'Q' || version >> 24 == 'T') {
    bool digits = in_range(version >> 16 & 0xff, '0', '9') && in_range(version >> 8 & 0xff, '0', '9') &&
                  in_range(version & 0xff, '0', '9');
    return digits ? (version >> 24 == 'T' || (version & 0xffff) >= 0x3530 ? 1 : 3) : 0;
  }
  return 0;
}

static enum quic_packet packet_type(uint8_t first, uint32_t version) {
  uint8_t type = first >> 4 & 3;
  return (enum quic_packet)(version == QUIC_V2 ? (type + 3) & 3 : type); // version 2 turns the numbers by one
}

static bool connection_ids(struct cur* c) {
  uint8_t n = cur_u8(c);
  if (n > CID_MAX || !cur_skip(c, n)) return false;
  n = cur_u8(c);
  return n <= CID_MAX && cur_skip(c, n);
}

static enum app_confidence negotiation(struct cur c, struct app_info* out) {
  if (!connection_ids(&c) || cur_left(&c) < 4 || cur_left(&c) % 4) return app_not();
  bool known = false;
  while (cur_left(&c)) {
    uint32_t version = cur_u32(&c);
    if (!version_kind(version)) continue;
    known = true;
    if (!out->id) out->id = version;
  }
  out->message = QUIC_NEGOTIATION;
  return known ? app_is(out, APP_QUIC, APP_CONF_CERTAIN) : app_not();
}

// The older header of Google QUIC: flags, connection id, version as text.
static enum app_confidence google(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t flags = cur_u8(&c);
  if ((flags & 0xc0) || !(flags & 0x01)) return app_not(); // with a version, as clients send at first
  if (flags & 0x08) cur_skip(&c, 8);
  uint32_t version = cur_u32(&c);
  if (c.bad || version >> 24 != 'Q' || !version_kind(version)) return app_not();
  cur_skip(&c, 1u + (flags >> 4 & 3) * 2u); // packet number
  if (cur_left(&c) < 12) return app_not();
  out->id = version;
  out->version = (uint16_t)version;
  out->message = QUIC_GOOGLE;
  out->transactions = 1;
  return app_is(out, APP_QUIC, APP_CONF_STRONG);
}

// One packet with a long header. False if it is none of a known version.
static bool long_packet(struct cur* c, const struct app_input* in, enum app_confidence* got,
                        struct app_info* out) {
  uint8_t first = cur_u8(c);
  uint32_t version = cur_u32(c);
  int kind = version_kind(version);
  if (c->bad || kind != 1 || !(first & FIXED_BIT) || !connection_ids(c)) return false;
  enum quic_packet type = packet_type(first, version);
  if (!out->id) {
    out->id = version;
    out->version = (uint16_t)version;
    out->message = (uint8_t)type;
  }
  if (type == QUIC_RETRY) {
    if (cur_left(c) < RETRY_TAG) return false;
    c->pos = c->len;
    *got = APP_CONF_CERTAIN;
    return true;
  }
  if (type == QUIC_INITIAL) {
    uint64_t token = variable_int(c);
    if (c->bad || token > cur_left(c) || !cur_skip(c, (uint32_t)token)) return false;
    out->transactions += in->uplink;
  }
  uint64_t length = variable_int(c);
  if (c->bad || length < 20 || length > cur_left(c)) return false;
  out->body_len = (uint32_t)length;
  cur_skip(c, (uint32_t)length);
  // A client's Initial must fill a datagram of 1200 bytes; captures may be cut shorter by the server's
  // answers.
  bool full = type == QUIC_INITIAL && in->len >= INITIAL_MIN;
  if (*got < APP_CONF_STRONG) *got = APP_CONF_STRONG;
  if (full) *got = APP_CONF_CERTAIN;
  return true;
}

enum app_confidence app_quic(const struct app_input* in, struct app_info* out) {
  if (in->len < 12) return app_not();
  if (!(in->payload[0] & LONG_HEADER)) return google(in, out);
  struct cur c = cur_of(in->payload, in->len);
  if (get_u32(in->payload + 1) == 0) {
    cur_skip(&c, 5);
    return negotiation(c, out);
  }
  enum app_confidence got = APP_CONF_NONE;
  while (cur_left(&c) && (c.data[c.pos] & LONG_HEADER))
    if (!long_packet(&c, in, &got, out)) break;
  return got ? app_is(out, APP_QUIC, got) : app_not();
}
