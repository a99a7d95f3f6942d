// SIP (RFC 3261) over UDP and TCP.
//
// The start line must be a known method with a SIP URI or a status; Via, From, To, Call-ID and CSeq are what
// every message must carry, in long or compact form. A body of type application/sdp goes to sdp_body, which
// announces the media flows. Keep-alives (two line ends, or the single bytes of RFC 5626) are accepted on
// SIP's port only.
#include "app_sip.h"
#include "app_proto.h"
#include "app_text.h"

enum { SIP_PORT = 5060 };

enum sip_method {
  SIP_INVITE = 1,
  SIP_ACK,
  SIP_BYE,
  SIP_CANCEL,
  SIP_REGISTER,
  SIP_OPTIONS,
  SIP_INFO,
  SIP_PRACK,
  SIP_SUBSCRIBE,
  SIP_NOTIFY,
  SIP_UPDATE,
  SIP_MESSAGE,
  SIP_REFER,
  SIP_PUBLISH,
  SIP_RESPONSE = 64,
  SIP_KEEPALIVE
};

static const struct keyword methods[] = {
    KEYWORD("invite", SIP_INVITE), KEYWORD("ack", SIP_ACK),           KEYWORD("bye", SIP_BYE),
    KEYWORD("cancel", SIP_CANCEL), KEYWORD("register", SIP_REGISTER), KEYWORD("options", SIP_OPTIONS),
    KEYWORD("info", SIP_INFO),     KEYWORD("prack", SIP_PRACK),       KEYWORD("subscribe", SIP_SUBSCRIBE),
    KEYWORD("notify", SIP_NOTIFY), KEYWORD("update", SIP_UPDATE),     KEYWORD("message", SIP_MESSAGE),
    KEYWORD("refer", SIP_REFER),   KEYWORD("publish", SIP_PUBLISH),   {0},
};

enum sip_field {
  FIELD_VIA = 1,
  FIELD_FROM,
  FIELD_TO,
  FIELD_CALL_ID,
  FIELD_CSEQ,
  FIELD_CONTENT_LENGTH,
  FIELD_CONTENT_TYPE,
  FIELD_MAX_FORWARDS,
  FIELD_CONTACT,
  FIELD_EXPIRES
};

static const struct keyword fields[] = {
    KEYWORD("via", FIELD_VIA),
    KEYWORD("v", FIELD_VIA),
    KEYWORD("from", FIELD_FROM),
    KEYWORD("f", FIELD_FROM),
    KEYWORD("to", FIELD_TO),
    KEYWORD("t", FIELD_TO),
    KEYWORD("call-id", FIELD_CALL_ID),
    KEYWORD("i", FIELD_CALL_ID),
    KEYWORD("cseq", FIELD_CSEQ),
    KEYWORD("content-length", FIELD_CONTENT_LENGTH),
    KEYWORD("l", FIELD_CONTENT_LENGTH),
    KEYWORD("content-type", FIELD_CONTENT_TYPE),
    KEYWORD("c", FIELD_CONTENT_TYPE),
    KEYWORD("max-forwards", FIELD_MAX_FORWARDS),
    KEYWORD("contact", FIELD_CONTACT),
    KEYWORD("m", FIELD_CONTACT),
    KEYWORD("expires", FIELD_EXPIRES),
    {0},
};

struct sip {
  struct app_info* out;
  uint32_t seen; // bit per enum sip_field
  uint32_t length;
  bool has_length;
  bool is_sdp;
  bool broken;
  uint8_t cseq_method;
};

// The host part of the first URI in s: behind the '@' if there is one, up to parameters.
static bool uri_host(struct str s, struct app_info* out) {
  uint32_t at;
  bool sip = text_starts(s, "sip:") || text_starts(s, "sips:") || text_starts(s, "tel:");
  if (!sip) {
    if (!text_find(s, '<', &at)) return false;
    s.p += at + 1, s.n -= at + 1;
    if (text_find(s, '>', &at)) s.n = at;
  }
  if (!text_find(s, ':', &at)) return false;
  bool tel = text_starts(s, "tel:");
  s.p += at + 1, s.n -= at + 1;
  if (tel) return s.n > 0;
  if (text_find(s, '@', &at)) s.p += at + 1, s.n -= at + 1;
  for (uint32_t i = 0; i < s.n; i++)
    if (s.p[i] == ';' || s.p[i] == '?' || s.p[i] == '>' || s.p[i] == ' ') s.n = i;
  return text_host(out, s);
}

static void cseq(struct sip* m, struct str value) {
  struct str number;
  uint64_t n;
  if (!text_token(&value, ' ', &number) || !text_number(number, &n) || n > UINT32_MAX)
    m->broken = true;
  else
    m->cseq_method = text_keyword(text_trim(value), methods);
}

static uint32_t call_id_hash(struct str s) {
  uint32_t h = 2166136261u; // FNV-1a
  for (uint32_t i = 0; i < s.n; i++)
    h = (h ^ (uint8_t)s.p[i]) * 16777619u;
  return h;
}

static void header_field(struct sip* m, struct str name, struct str value) {
  uint8_t field = text_keyword(name, fields);
  uint64_t n;
  m->seen |= 1u << field;
  switch (field) {
  case FIELD_VIA:
    if (!text_starts(value, "sip/2.0/") && !text_starts(value, "sip / 2.0 /")) m->broken = true;
    break;
  case FIELD_TO:
    if (!m->out->host_len) uri_host(value, m->out);
    break;
  case FIELD_CALL_ID:
    if (!value.n) m->broken = true;
    m->out->id = call_id_hash(value);
    break;
  case FIELD_CSEQ:
    cseq(m, value);
    break;
  case FIELD_CONTENT_LENGTH:
    if (!text_number(value, &n) || n > UINT16_MAX || (m->has_length && n != m->length))
      m->broken = true;
    else
      m->length = (uint32_t)n, m->has_length = true;
    break;
  case FIELD_CONTENT_TYPE:
    m->is_sdp = text_starts(value, "application/sdp");
    break;
  case FIELD_MAX_FORWARDS:
    if (!text_number(value, &n) || n > 255) m->broken = true;
    break;
  default:
    break;
  }
}

static bool header_fields(struct cur* c, struct sip* m) {
  struct str line;
  bool ended;
  while (text_line(c, &line, &ended)) {
    if (!ended) return false;
    if (!line.n) return true;
    if (*line.p == ' ' || *line.p == '\t') continue;
    uint32_t colon;
    if (!text_find(line, ':', &colon) || !colon) {
      m->broken = true;
      return false;
    }
    struct str name = {line.p, colon};
    struct str value = {line.p + colon + 1, line.n - colon - 1};
    header_field(m, text_trim(name), text_trim(value));
  }
  return false;
}

static bool start_line(struct str line, struct app_info* out) {
  struct str first, second;
  uint64_t status;
  if (!text_token(&line, ' ', &first) || !text_token(&line, ' ', &second)) return false;
  out->version = 0x0200;
  if (text_equal(first, "sip/2.0")) {
    if (second.n != 3 || !text_number(second, &status) || !in_range((uint32_t)status, 100, 699)) return false;
    out->message = SIP_RESPONSE;
    out->code = (uint16_t)status;
    return true;
  }
  out->message = text_keyword(first, methods);
  if (!out->message || !text_equal(text_trim(line), "sip/2.0")) return false;
  return uri_host(second, out);
}

static enum app_confidence keepalive(const struct app_input* in, struct app_info* out) {
  if (!app_port_is(in, SIP_PORT) || in->len > 4) return app_not();
  for (uint32_t i = 0; i < in->len; i++)
    if (in->payload[i] != '\r' && in->payload[i] != '\n' && in->payload[i] != 0) return app_not();
  out->message = SIP_KEEPALIVE;
  return app_is(out, APP_SIP, APP_CONF_WEAK);
}

enum app_confidence app_sip(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  struct sip m = {.out = out};
  struct str line;
  bool ended;
  if (in->len <= 4) return keepalive(in, out);
  if (!text_line(&c, &line, &ended) || !start_line(line, out)) return app_not();
  out->transactions = 1;
  bool whole = ended && header_fields(&c, &m);
  if (m.broken) return app_broken(out, APP_SIP);
  if (!whole) return app_is(out, APP_SIP, APP_CONF_STRONG);
  const uint32_t must =
      1u << FIELD_VIA | 1u << FIELD_FROM | 1u << FIELD_TO | 1u << FIELD_CALL_ID | 1u << FIELD_CSEQ;
  if ((m.seen & must) != must) return app_broken(out, APP_SIP);
  bool ack_or_response = out->message == SIP_RESPONSE || out->message == SIP_ACK;
  if (!ack_or_response && m.cseq_method && m.cseq_method != out->message) return app_broken(out, APP_SIP);
  uint32_t body = m.has_length ? m.length : cur_left(&c);
  out->body_len = body;
  if (in->proto == 17 && body > cur_left(&c)) return app_broken(out, APP_SIP);
  if (m.is_sdp && body && !sdp_body(cur_sub_most(&c, body), out)) out->malformed = 1;
  return app_is(out, APP_SIP, APP_CONF_CERTAIN);
}
