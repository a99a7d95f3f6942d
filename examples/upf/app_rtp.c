// RTP and RTCP (RFC 3550), with the compound rules of RFC 5506 and the feedback packets of RFC 4585.
//
// An RTP header is twelve bytes with two fixed bits, so one packet proves nothing: app_rtp checks everything
// that can be wrong (padding, extension, payload types that RTCP uses) and reports a weak result with source,
// sequence number and time stamp, from which app_flow_update finds out whether this is a stream. RTCP has
// lengths that must add up and types from a small range: a whole compound packet is a strong sign by itself.
#include "app_proto.h"

enum {
  RTP_HEADER = 12,
  RTCP_SR = 200,
  RTCP_RR = 201,
  RTCP_SDES = 202,
  RTCP_BYE = 203,
  RTCP_APP = 204,
  RTCP_RTPFB = 205,
  RTCP_PSFB = 206,
  RTCP_XR = 207,
  REPORT_BLOCK = 24,
  SDES_CNAME = 1
};

// Static payload types (RFC 3551) that are assigned; 96 to 127 are dynamic; 35 to 71 are only used when the
// others run out, and 72 to 76 look like RTCP.
static bool payload_type_fits(uint8_t type) {
  if (type >= 96) return true;
  if (type <= 18) return type != 1 && type != 2;
  return type == 25 || type == 26 || type == 28 || (type >= 31 && type <= 34);
}

// Bytes that one packet of a static audio type may carry: a multiple of its frame.
static bool payload_length_fits(uint8_t type, uint32_t n) {
  switch (type) {
  case 0:
  case 8:
  case 9:
  case 15:
    return n > 0 && n % 8 == 0 && n <= 1280; // G.711, G.722: whole milliseconds
  case 3:
    return n > 0 && n % 33 == 0; // GSM
  case 4:
    return n > 0 && n % 4 == 0; // G.723.1 frames are 24, 20 or 4 bytes
  case 18:
    return n == 2 || (n > 0 && (n % 10 == 0 || n % 10 == 2)); // G.729, with or without silence frame
  case 13:
    return n >= 1 && n <= 32; // comfort noise
  case 33:
    return n > 0 && n % 188 == 0; // MPEG transport stream
  default:
    return n > 0;
  }
}

enum app_confidence app_rtp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t first = cur_u8(&c);
  uint8_t second = cur_u8(&c);
  out->seq = cur_u16(&c);
  out->timestamp = cur_u32(&c);
  out->id = cur_u32(&c);
  cur_skip(&c, (first & 15) * 4u); // contributing sources
  if (first & 0x10) {
    cur_u16(&c);
    cur_skip(&c, cur_u16(&c) * 4u); // header extension
  }
  uint32_t left = cur_left(&c);
  if (c.bad || first >> 6 != 2 || !payload_type_fits(second & 0x7f)) return app_not();
  if (!out->id && !out->timestamp) return app_not();
  if (first & 0x20) {
    uint8_t padding = in->payload[in->len - 1];
    if (!padding || padding > left) return app_not();
    left -= padding;
  }
  if (!payload_length_fits(second & 0x7f, left)) return app_not();
  out->message = second & 0x7f;
  out->body_len = left;
  return app_is(out, APP_RTP, APP_CONF_WEAK);
}

static bool report_blocks(struct cur* c, uint8_t count) {
  return cur_skip(c, count * (uint32_t)REPORT_BLOCK);
}

// Chunks of a source and its items, each list ended by a zero and filled up to four bytes.
static bool sdes(struct cur c, uint8_t count) {
  bool cname = count == 0;
  for (uint8_t i = 0; i < count; i++) {
    cur_u32(&c);
    for (;;) {
      uint8_t type = cur_u8(&c);
      if (c.bad || type > 8) return false;
      if (!type) break;
      cname |= type == SDES_CNAME;
      if (!cur_skip(&c, cur_u8(&c))) return false;
    }
    while (c.pos % 4)
      if (cur_u8(&c)) return false;
  }
  return cname && !c.bad;
}

static bool bye(struct cur c, uint8_t count) {
  if (!cur_skip(&c, count * 4u)) return false;
  return !cur_left(&c) || cur_skip(&c, cur_u8(&c));
}

static bool extended_reports(struct cur c) {
  cur_u32(&c);
  while (cur_left(&c)) {
    uint8_t type = cur_u8(&c);
    cur_u8(&c);
    if (!in_range(type, 1, 40) || !cur_skip(&c, cur_u16(&c) * 4u)) return false;
  }
  return !c.bad;
}

static bool feedback(struct cur c, uint8_t type, uint8_t format) {
  cur_skip(&c, 8);
  if (type == RTCP_RTPFB && format == 1) return cur_left(&c) >= 4 && cur_left(&c) % 4 == 0; // NACK
  if (type == RTCP_PSFB && format == 1) return !c.bad && cur_left(&c) == 0;                 // picture loss
  if (type == RTCP_PSFB && format == 15) return cur_left(&c) >= 4; // REMB and the like
  return !c.bad && format > 0;
}

static bool rtcp_body(uint8_t type, uint8_t count, struct cur body, struct app_info* out) {
  switch (type) {
  case RTCP_SR:
    out->id = cur_u32(&body);
    cur_skip(&body, 8); // NTP time
    out->timestamp = cur_u32(&body);
    out->seq = cur_u32(&body);
    cur_u32(&body);
    return report_blocks(&body, count);
  case RTCP_RR:
    out->id = cur_u32(&body);
    return report_blocks(&body, count);
  case RTCP_SDES:
    return sdes(body, count);
  case RTCP_BYE:
    return bye(body, count);
  case RTCP_APP:
    return cur_skip(&body, 8);
  case RTCP_RTPFB:
  case RTCP_PSFB:
    return feedback(body, type, count);
  case RTCP_XR:
    return extended_reports(body);
  default:
    return false;
  }
}

enum app_confidence app_rtcp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint32_t packets = 0;
  bool encrypted = false;
  while (cur_left(&c) >= 4) {
    uint8_t first = cur_u8(&c);
    uint8_t type = cur_u8(&c);
    uint32_t length = cur_u16(&c) * 4u;
    bool fits = first >> 6 == 2 && in_range(type, RTCP_SR, RTCP_XR) && length <= cur_left(&c);
    // SRTCP leaves the first header in the clear; its length then describes the encrypted rest.
    if (!fits && packets == 0) return app_not();
    if (!fits) {
      encrypted = true;
      break;
    }
    struct cur body = cur_sub(&c, length);
    if (!packets) out->message = type;
    if (!rtcp_body(type, first & 31, body, out)) {
      if (!packets) return app_not();
      encrypted = true;
      break;
    }
    packets++;
  }
  bool report_first = out->message == RTCP_SR || out->message == RTCP_RR;
  if (encrypted || c.bad) return report_first ? app_is(out, APP_RTCP, APP_CONF_WEAK) : app_not();
  if (packets == 1 && !report_first && in->len < 12) return app_not();
  return app_is(out, APP_RTCP, report_first && packets > 1 ? APP_CONF_CERTAIN : APP_CONF_STRONG);
}
