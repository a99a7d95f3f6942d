// NTP (RFC 5905): client and server modes with extension fields and authenticators, control messages (mode 6)
// and the private ones of the reference implementation (mode 7).
#include "app_proto.h"

enum { NTP_PORT = 123, NTP_HEADER = 48, MODE_CONTROL = 6, MODE_PRIVATE = 7 };

struct ntp_time {
  uint32_t seconds;
  uint32_t fraction;
};

static struct ntp_time read_time(struct cur* c) {
  struct ntp_time t;
  t.seconds = cur_u32(c);
  t.fraction = cur_u32(c);
  return t;
}

// Behind the header: extension fields of at least 16 bytes, then an authenticator of 4 + 16, 20 or more
// bytes.
static bool tail_fits(struct cur c) {
  while (cur_left(&c) > 28) {
    uint16_t type = cur_u16(&c);
    uint16_t length = cur_u16(&c);
    if (length < 16 || length % 4 || !type || !cur_skip(&c, length - 4u)) return false;
  }
  uint32_t left = cur_left(&c);
  return left == 0 || left == 4 || left == 16 || left == 20 || left == 24 || left == 28;
}

// Request or response, operation, sequence, status, association, offset, count; then data padded to four
// bytes.
static enum app_confidence control(struct cur c, struct app_info* out) {
  uint8_t flags = cur_u8(&c);
  out->seq = cur_u16(&c);
  out->code = cur_u16(&c);
  cur_u16(&c); // association
  uint16_t offset = cur_u16(&c);
  uint16_t count = cur_u16(&c);
  uint8_t operation = flags & 31;
  bool known = operation <= 12 || operation == 31;
  if (c.bad || !known || count > cur_left(&c) || (offset && !(flags & 0x80))) return app_not();
  return APP_CONF_STRONG;
}

static enum app_confidence private_message(struct cur c, struct app_info* out) {
  uint8_t sequence = cur_u8(&c);
  uint8_t implementation = cur_u8(&c);
  uint8_t request = cur_u8(&c);
  uint16_t items = cur_u16(&c);
  uint16_t size = cur_u16(&c);
  if (c.bad || (implementation != 0 && implementation != 2 && implementation != 3)) return app_not();
  uint32_t bytes = (items & 0xfffu) * (size & 0xfffu);
  if (bytes > 500 || sequence & 0x80) return app_not();
  out->code = request;
  return APP_CONF_STRONG;
}

static enum app_confidence timed(struct cur c, const struct app_input* in, uint8_t mode,
                                 struct app_info* out) {
  uint8_t stratum = cur_u8(&c);
  int8_t poll = (int8_t)cur_u8(&c);
  int8_t precision = (int8_t)cur_u8(&c);
  uint32_t root_delay = cur_u32(&c);
  uint32_t dispersion = cur_u32(&c);
  out->id = cur_u32(&c); // reference: a clock's name, an address, or a kiss code
  struct ntp_time reference = read_time(&c);
  struct ntp_time origin = read_time(&c);
  struct ntp_time receive = read_time(&c);
  struct ntp_time transmit = read_time(&c);
  if (c.bad) return app_not();
  out->seq = stratum;
  out->timestamp = transmit.seconds;
  if (stratum > 16 || poll > 17 || poll < -6 || precision > 0) return app_not();
  if (mode == 4) { // a server's answer carries the client's time and its own, in order
    if (!transmit.seconds && stratum) return app_not();
    if (stratum && receive.seconds && (int32_t)(transmit.seconds - receive.seconds) < 0) return app_not();
    if (stratum && reference.seconds && (int32_t)(transmit.seconds - reference.seconds) < 0) return app_not();
    if (stratum && !origin.seconds && !origin.fraction && root_delay == UINT32_MAX) return app_not();
  }
  if (dispersion == UINT32_MAX || !tail_fits(c)) return app_not();
  out->transactions = 1;
  return app_port_is(in, NTP_PORT) ? APP_CONF_CERTAIN : APP_CONF_WEAK;
}

enum app_confidence app_ntp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t first = cur_u8(&c);
  uint8_t mode = first & 7;
  uint8_t version = first >> 3 & 7;
  enum app_confidence got;
  if (!in_range(version, 1, 4)) return app_not();
  out->version = version;
  out->message = mode;
  if (mode == MODE_CONTROL)
    got = control(c, out);
  else if (mode == MODE_PRIVATE)
    got = private_message(c, out);
  else if (mode || version == 1)
    got = timed(c, in, mode, out);
  else
    got = app_not();
  if (got) return app_is(out, APP_NTP, got);
  return app_port_is(in, NTP_PORT) ? app_broken(out, APP_NTP) : app_not();
}
