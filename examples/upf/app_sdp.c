// Session descriptions (RFC 8866) in SIP bodies: which media flows will follow, and where.
//
// Lines are "x=value" in a fixed order. A connection line holds for the session until a media section has its
// own. An audio or video section on RTP announces its port, and the next one for RTCP (or the one of a=rtcp,
// or the same with a=rtcp-mux). Addresses and ports are stored together when the section ends, since c= and
// a= follow m=.
#include "app_sip.h"
#include "app_text.h"

enum { UDP = 17, MEDIA_TTL = 120 };

struct connection {
  uint8_t addr[16];
  bool known;
  bool v6;
};

struct media {
  bool open; // inside a section that is on RTP
  uint16_t port;
  uint16_t rtcp;
  bool mux;
  struct connection at;
};

static bool connection_line(struct str value, struct connection* c) {
  struct str net, type, address;
  if (!text_token(&value, ' ', &net) || !text_token(&value, ' ', &type)) return false;
  if (!text_token(&value, '/', &address) || !text_equal(net, "in")) return false;
  c->v6 = text_equal(type, "ip6");
  if (!c->v6 && !text_equal(type, "ip4")) return false;
  c->known = c->v6 ? text_ipv6(address, c->addr) : text_ipv4(address, c->addr);
  return true; // a host name in the place of an address is allowed
}

static void close_media(struct media* m, struct app_info* out) {
  if (m->open && m->port && m->at.known) {
    app_add_addr(out, m->at.addr, m->at.v6, UDP, APP_RTP, m->port, MEDIA_TTL);
    uint16_t rtcp = m->rtcp ? m->rtcp : (uint16_t)(m->port + 1);
    if (!m->mux) app_add_addr(out, m->at.addr, m->at.v6, UDP, APP_RTCP, rtcp, MEDIA_TTL);
  }
  m->open = false;
}

// m=audio 49170/2 RTP/AVP 0 8 97
static bool media_line(struct str value, const struct connection* session, struct media* m) {
  struct str kind, port, count, transport;
  uint64_t n, pairs = 1;
  if (!text_token(&value, ' ', &kind) || !text_token(&value, ' ', &count)) return false;
  if (!text_token(&count, '/', &port) || !text_number(port, &n) || n > UINT16_MAX) return false;
  if (count.n && (!text_number(count, &pairs) || !pairs)) return false;
  if (!text_token(&value, ' ', &transport) || !value.n) return false;
  bool rtp = text_contains(transport, "rtp/");
  if (rtp && !text_contains(transport, "tcp")) {
    struct str format;
    uint64_t type;
    while (text_token(&value, ' ', &format))
      if (format.n && (!text_number(format, &type) || type > 127)) return false;
  }
  memset(m, 0, sizeof *m);
  m->open = rtp && !text_contains(transport, "tcp");
  m->port = (uint16_t)n;
  m->at = *session;
  return true;
}

static void attribute_line(struct str value, struct media* m) {
  uint64_t n;
  if (text_equal(value, "rtcp-mux")) {
    m->mux = true;
  } else if (text_starts(value, "rtcp:")) {
    struct str rest = {value.p + 5, value.n - 5}, port;
    if (text_token(&rest, ' ', &port) && text_number(port, &n) && n <= UINT16_MAX) m->rtcp = (uint16_t)n;
  }
}

bool sdp_body(struct cur c, struct app_info* out) {
  struct connection session = {0};
  struct media media = {0};
  struct str line;
  bool ended, first = true;
  while (text_line(&c, &line, &ended)) {
    if (!line.n) continue;
    if (line.n < 2 || line.p[1] != '=') return false;
    struct str value = {line.p + 2, line.n - 2};
    if (first && !text_equal(line, "v=0")) return false;
    first = false;
    switch (line.p[0]) {
    case 'm':
      close_media(&media, out);
      if (!media_line(value, &session, &media)) return false;
      break;
    case 'c':
      if (!connection_line(value, media.open ? &media.at : &session)) return false;
      break;
    case 'a':
      attribute_line(value, &media);
      break;
    default:
      if (!strchr("vosiuepbtrzk", line.p[0])) return false;
      break;
    }
  }
  close_media(&media, out);
  return !first;
}
