// DNS (RFC 1035), with EDNS (RFC 6891), over UDP and TCP; also multicast DNS (RFC 6762) and LLMNR (RFC 4795),
// which share the format.
//
// The whole message is walked: header, questions, and the resource records of all three sections, each with
// the rules of its own type. A message that is walked to its last byte is a strong sign on any port; the
// header alone (twelve bytes in which almost everything is allowed) is none. Names are followed through
// compression pointers, which must point strictly backwards: each jump lowers the bound, so a loop is
// impossible without a counter.
#include "app_proto.h"
#include "app_text.h"

enum {
  DNS_PORT = 53,
  MDNS_PORT = 5353,
  LLMNR_PORT = 5355,
  DNS_HEADER = 12,
  NAME_MAX_WIRE = 255,
  TYPE_A = 1,
  TYPE_NS = 2,
  TYPE_CNAME = 5,
  TYPE_SOA = 6,
  TYPE_PTR = 12,
  TYPE_HINFO = 13,
  TYPE_MX = 15,
  TYPE_TXT = 16,
  TYPE_AAAA = 28,
  TYPE_LOC = 29,
  TYPE_SRV = 33,
  TYPE_NAPTR = 35,
  TYPE_DNAME = 39,
  TYPE_OPT = 41,
  TYPE_DS = 43,
  TYPE_SSHFP = 44,
  TYPE_RRSIG = 46,
  TYPE_NSEC = 47,
  TYPE_DNSKEY = 48,
  TYPE_NSEC3 = 50,
  TYPE_TLSA = 52,
  TYPE_SVCB = 64,
  TYPE_HTTPS = 65,
  TYPE_SPF = 99,
  TYPE_CAA = 257
};

struct dns_message {
  struct cur c; // the whole message, length prefix removed: compression pointers count from its start
  uint16_t flags;
  uint16_t count[4]; // questions, answers, authorities, additionals
  bool response;
  bool multicast;
  bool has_opt;
  uint16_t extended_rcode;
};

// Walks the name at c->pos and moves behind it. Copies it to host (lower case) when host is not null.
// Returns its length in text form, or -1.
static int dns_name(struct cur* c, char* host) {
  uint32_t pos = c->pos, bound = c->len, wire = 0, n = 0;
  bool jumped = false;
  for (;;) {
    if (c->bad || pos >= bound) return -1;
    uint8_t len = c->data[pos];
    if ((len & 0xc0) == 0xc0) {
      if (pos + 1 >= c->len) return -1;
      uint32_t to = (uint32_t)(len & 0x3f) << 8 | c->data[pos + 1];
      if (!jumped) c->pos = pos + 2;
      jumped = true;
      if (to < DNS_HEADER || to >= pos) return -1;
      bound = pos;
      pos = to;
      continue;
    }
    if (len & 0xc0) return -1;
    wire += len + 1u;
    if (wire > NAME_MAX_WIRE || pos + 1 + len > c->len) return -1;
    if (!len) break;
    if (host && n + len + 1 <= APP_HOST_MAX) {
      if (n) host[n++] = '.';
      for (uint32_t i = 0; i < len; i++) {
        uint8_t ch = c->data[pos + 1 + i];
        if (ch >= 'A' && ch <= 'Z') ch = (uint8_t)(ch + 32);
        host[n++] = ch > 0x20 && ch < 0x7f ? (char)ch : '?';
      }
    }
    pos += 1u + len;
  }
  if (!jumped) c->pos = pos + 1;
  if (host) host[n] = 0;
  return (int)n;
}

static bool dns_questions(struct dns_message* m, struct app_info* out) {
  for (uint32_t i = 0; i < m->count[0]; i++) {
    int n = dns_name(&m->c, i == 0 ? out->host : NULL);
    if (n < 0) return false;
    if (i == 0) out->host_len = (uint16_t)n;
    uint16_t type = cur_u16(&m->c);
    uint16_t cls = cur_u16(&m->c);
    if (m->multicast) cls &= 0x7fff;
    if (m->c.bad || type == 0 || type == TYPE_OPT) return false;
    if (cls != 1 && cls != 3 && cls != 4 && cls != 254 && cls != 255) return false;
  }
  return true;
}

// Character strings fill the record to its end.
static bool dns_strings(struct cur r) {
  uint32_t n = 0;
  while (cur_left(&r)) {
    cur_skip(&r, cur_u8(&r));
    n++;
  }
  return !r.bad && n > 0;
}

static bool dns_edns(struct dns_message* m, struct cur r, uint16_t cls, uint32_t ttl) {
  // The class is the sender's payload size, the time to live holds version and extended result.
  if (m->has_opt || cls < 512 || (ttl >> 16 & 0xff) > 0) return false;
  m->has_opt = true;
  m->extended_rcode = (uint16_t)(ttl >> 24);
  while (cur_left(&r)) {
    uint16_t code = cur_u16(&r);
    uint16_t length = cur_u16(&r);
    struct cur o = cur_sub(&r, length);
    if (o.bad) return false;
    switch (code) {
    case 8: { // client subnet: family, prefix lengths, as many address bytes as the prefix needs
      uint16_t family = cur_u16(&o);
      uint8_t source = cur_u8(&o);
      cur_u8(&o);
      if (o.bad || (family != 1 && family != 2)) return false;
      if (source > (family == 1 ? 32 : 128) || cur_left(&o) != (source + 7u) / 8) return false;
      break;
    }
    case 10: // cookie: client part of 8, server part of 8 to 32
      if (length != 8 && !in_range(length, 16, 40)) return false;
      break;
    case 11: // TCP keepalive
      if (length != 0 && length != 2) return false;
      break;
    case 15: // extended error
      if (length < 2) return false;
      break;
    default: // padding, NSID and the ones to come hold anything
      break;
    }
  }
  return !r.bad;
}

static bool dns_soa(struct cur* whole, uint32_t end) {
  if (dns_name(whole, NULL) < 0 || dns_name(whole, NULL) < 0) return false;
  return cur_skip(whole, 20) && whole->pos == end;
}

static bool dns_svcb(struct cur* whole, uint32_t end) {
  uint16_t priority = cur_u16(whole);
  if (dns_name(whole, NULL) < 0 || whole->pos > end) return false;
  struct cur r = cur_sub(whole, end - whole->pos);
  int last = -1;
  while (cur_left(&r)) {
    uint16_t key = cur_u16(&r);
    uint16_t length = cur_u16(&r);
    struct cur v = cur_sub(&r, length);
    if (v.bad || key <= last || priority == 0) return false;
    last = key;
    if (key == 3 && length != 2) return false;              // port
    if (key == 4 && (!length || length % 4)) return false;  // IPv4 hints
    if (key == 6 && (!length || length % 16)) return false; // IPv6 hints
    if (key == 1 && !dns_strings(v)) return false;          // ALPN
  }
  return !r.bad;
}

// A list of type windows, as NSEC and NSEC3 end with.
static bool dns_bitmap(struct cur r) {
  int last = -1;
  while (cur_left(&r)) {
    uint8_t window = cur_u8(&r);
    uint8_t length = cur_u8(&r);
    if (window <= last || !in_range(length, 1, 32) || !cur_skip(&r, length)) return false;
    last = window;
  }
  return !r.bad;
}

static bool dns_naptr(struct cur* whole, uint32_t end) {
  cur_skip(whole, 4);
  for (int i = 0; i < 3; i++)
    cur_skip(whole, cur_u8(whole));
  return !whole->bad && dns_name(whole, NULL) >= 0 && whole->pos == end;
}

static bool dns_rrsig(struct cur* whole, uint32_t end) {
  cur_skip(whole, 2);
  cur_u8(whole);
  uint8_t labels = cur_u8(whole);
  cur_skip(whole, 14);
  return labels < 128 && !whole->bad && dns_name(whole, NULL) >= 0 && whole->pos < end;
}

static bool dns_nsec3(struct cur r) {
  cur_skip(&r, 4);
  cur_skip(&r, cur_u8(&r));
  cur_skip(&r, cur_u8(&r));
  return !r.bad && dns_bitmap(cur_sub(&r, cur_left(&r)));
}

static bool dns_caa(struct cur r) {
  cur_u8(&r);
  uint8_t tag = cur_u8(&r);
  return in_range(tag, 1, 15) && cur_skip(&r, tag);
}

// The data of one record: `whole` stands at its first byte and may be moved; end is the first byte behind it.
static bool dns_rdata(struct dns_message* m, struct cur* whole, uint16_t type, uint16_t length, uint32_t ttl,
                      struct app_info* out) {
  uint32_t end = whole->pos + length;
  struct cur data = cur_of(whole->data + whole->pos, length);
  switch (type) {
  case TYPE_A:
    if (length != 4) return false;
    app_add_addr(out, data.data, false, 0, APP_UNKNOWN, 0, ttl);
    return true;
  case TYPE_AAAA:
    if (length != 16) return false;
    app_add_addr(out, data.data, true, 0, APP_UNKNOWN, 0, ttl);
    return true;
  case TYPE_NS:
  case TYPE_CNAME:
  case TYPE_PTR:
  case TYPE_DNAME:
    return dns_name(whole, NULL) >= 0 && whole->pos == end;
  case TYPE_MX:
    cur_u16(whole);
    return dns_name(whole, NULL) >= 0 && whole->pos == end;
  case TYPE_SRV:
    cur_skip(whole, 6);
    return dns_name(whole, NULL) >= 0 && whole->pos == end;
  case TYPE_SOA:
    return dns_soa(whole, end);
  case TYPE_TXT:
  case TYPE_SPF:
  case TYPE_HINFO:
    return dns_strings(data);
  case TYPE_NAPTR:
    return dns_naptr(whole, end);
  case TYPE_SVCB:
  case TYPE_HTTPS:
    return dns_svcb(whole, end);
  case TYPE_RRSIG:
    return dns_rrsig(whole, end);
  case TYPE_NSEC:
    return dns_name(whole, NULL) >= 0 && whole->pos <= end && dns_bitmap(cur_sub(whole, end - whole->pos));
  case TYPE_NSEC3:
    return dns_nsec3(data);
  case TYPE_DNSKEY:
    return length > 4 && data.data[2] == 3;
  case TYPE_DS:
    return length > 4;
  case TYPE_SSHFP:
    return length > 2;
  case TYPE_TLSA:
    return length > 3;
  case TYPE_LOC:
    return length == 16;
  case TYPE_CAA:
    return dns_caa(data);
  default:
    return m->c.len >= end;
  }
}

static bool dns_record(struct dns_message* m, uint32_t section, struct app_info* out) {
  int name = dns_name(&m->c, NULL);
  uint16_t type = cur_u16(&m->c);
  uint16_t cls = cur_u16(&m->c);
  uint32_t ttl = cur_u32(&m->c);
  uint16_t length = cur_u16(&m->c);
  uint32_t start = m->c.pos;
  if (name < 0 || m->c.bad || !cur_skip(&m->c, length)) return false;
  if (type == TYPE_OPT) {
    struct cur options = cur_of(m->c.data + start, length);
    return section == 3 && name == 0 && dns_edns(m, options, cls, ttl);
  }
  if (length == 0) return true; // dynamic update deletes with empty data
  struct cur whole = m->c;
  whole.pos = start;
  return dns_rdata(m, &whole, type, length, ttl, out);
}

static bool dns_flags_fit(const struct dns_message* m) {
  uint16_t opcode = m->flags >> 11 & 15;
  uint16_t rcode = m->flags & 15;
  if (opcode == 3 || opcode > 6 || rcode > 11) return false;
  if (m->flags & 0x0040) return false;
  if (!m->response && rcode && !m->multicast) return false;
  if (m->count[0] > (m->multicast ? 64 : 1)) return false;
  if (!m->response && !m->count[0] && !m->multicast) return false;
  return m->count[1] <= 256 && m->count[2] <= 256 && m->count[3] <= 256;
}

// One message. Returns the confidence, and APP_CONF_NONE with malformed set when the header fits and the rest
// not.
static enum app_confidence dns_message(const uint8_t* data, uint32_t len, bool own_port, bool multicast,
                                       struct app_info* out) {
  struct dns_message m = {.c = cur_of(data, len), .multicast = multicast};
  out->id = cur_u16(&m.c);
  m.flags = cur_u16(&m.c);
  for (int i = 0; i < 4; i++)
    m.count[i] = cur_u16(&m.c);
  m.response = m.flags >> 15;
  if (m.c.bad || !dns_flags_fit(&m)) return own_port ? app_broken(out, APP_DNS) : app_not();
  if (!dns_questions(&m, out)) return app_broken(out, APP_DNS);
  for (uint32_t section = 1; section < 4; section++)
    for (uint32_t i = 0; i < m.count[section]; i++) {
      if (dns_record(&m, section, out)) continue;
      // A truncated response may end anywhere behind its questions.
      if ((m.flags & 0x0200) && m.c.bad) return app_is(out, APP_DNS, APP_CONF_STRONG);
      return app_broken(out, APP_DNS);
    }
  out->message = (uint8_t)(m.flags >> 11 & 15);
  out->code = (uint16_t)(m.flags & 15) | (uint16_t)(m.extended_rcode << 4);
  out->transactions++;
  bool whole = cur_left(&m.c) == 0;
  if (own_port) return app_is(out, APP_DNS, whole ? APP_CONF_CERTAIN : APP_CONF_STRONG);
  if (!whole) return app_not();
  return app_is(out, APP_DNS, m.count[0] ? APP_CONF_STRONG : APP_CONF_WEAK);
}

// Over TCP each message follows its length; a segment may hold several, or the length alone (RFC 7766).
static enum app_confidence dns_stream(const struct app_input* in, bool own_port, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  enum app_confidence best = APP_CONF_NONE;
  while (cur_left(&c) >= 2) {
    uint16_t length = cur_u16(&c);
    if (length < DNS_HEADER) return best; // the middle of a message: the stream is not reassembled
    struct cur message = cur_sub(&c, length);
    if (message.bad) {
      out->body_len = length;
      return best;
    }
    enum app_confidence got = dns_message(message.data, message.len, own_port, false, out);
    if (!got) return best ? best : got;
    if (got > best) best = got;
  }
  return best;
}

enum app_confidence app_dns(const struct app_input* in, struct app_info* out) {
  bool multicast = in->proto == 17 && (app_port_is(in, MDNS_PORT) || app_port_is(in, LLMNR_PORT));
  bool own_port = multicast || app_port_is(in, DNS_PORT);
  if (in->proto == 6) return dns_stream(in, own_port, out);
  return dns_message(in->payload, in->len, own_port, multicast, out);
}
