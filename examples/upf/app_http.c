// HTTP/1 (RFC 9112), with the methods of WebDAV.
//
// A message head begins a segment or it is not seen: the stream is not reassembled. The start line decides
// whether this is HTTP at all; then every complete header field is read, known ones for their meaning.
// Message framing follows the standard: Transfer-Encoding wins over Content-Length, differing lengths are an
// error, and a chunked body's first chunk size is checked where it is there. Pipelined heads in the rest of
// the segment are counted.
#include "app_proto.h"
#include "app_text.h"
#include <stddef.h>

enum http_method {
  HTTP_GET = 1,
  HTTP_POST,
  HTTP_HEAD,
  HTTP_PUT,
  HTTP_DELETE,
  HTTP_CONNECT,
  HTTP_OPTIONS,
  HTTP_TRACE,
  HTTP_PATCH,
  HTTP_PROPFIND,
  HTTP_PROPPATCH,
  HTTP_MKCOL,
  HTTP_COPY,
  HTTP_MOVE,
  HTTP_LOCK,
  HTTP_UNLOCK,
  HTTP_REPORT,
  HTTP_RPC_IN,
  HTTP_RPC_OUT,
  HTTP_PRI,
  HTTP_RESPONSE = 64
};

static const struct keyword methods[] = {
    KEYWORD("get", HTTP_GET),
    KEYWORD("post", HTTP_POST),
    KEYWORD("head", HTTP_HEAD),
    KEYWORD("put", HTTP_PUT),
    KEYWORD("delete", HTTP_DELETE),
    KEYWORD("connect", HTTP_CONNECT),
    KEYWORD("options", HTTP_OPTIONS),
    KEYWORD("trace", HTTP_TRACE),
    KEYWORD("patch", HTTP_PATCH),
    KEYWORD("propfind", HTTP_PROPFIND),
    KEYWORD("proppatch", HTTP_PROPPATCH),
    KEYWORD("mkcol", HTTP_MKCOL),
    KEYWORD("copy", HTTP_COPY),
    KEYWORD("move", HTTP_MOVE),
    KEYWORD("lock", HTTP_LOCK),
    KEYWORD("unlock", HTTP_UNLOCK),
    KEYWORD("report", HTTP_REPORT),
    KEYWORD("rpc_in_data", HTTP_RPC_IN),
    KEYWORD("rpc_out_data", HTTP_RPC_OUT),
    KEYWORD("pri", HTTP_PRI),
    {0},
};

enum http_field {
  FIELD_HOST = 1,
  FIELD_CONTENT_LENGTH,
  FIELD_CONTENT_TYPE,
  FIELD_TRANSFER_ENCODING,
  FIELD_CONNECTION,
  FIELD_UPGRADE,
  FIELD_USER_AGENT,
  FIELD_SERVER,
  FIELD_REFERER,
  FIELD_RANGE,
  FIELD_TE,
  FIELD_EXPECT
};

static const struct keyword fields[] = {
    KEYWORD("host", FIELD_HOST),
    KEYWORD("content-length", FIELD_CONTENT_LENGTH),
    KEYWORD("content-type", FIELD_CONTENT_TYPE),
    KEYWORD("transfer-encoding", FIELD_TRANSFER_ENCODING),
    KEYWORD("connection", FIELD_CONNECTION),
    KEYWORD("upgrade", FIELD_UPGRADE),
    KEYWORD("user-agent", FIELD_USER_AGENT),
    KEYWORD("server", FIELD_SERVER),
    KEYWORD("referer", FIELD_REFERER),
    KEYWORD("range", FIELD_RANGE),
    KEYWORD("te", FIELD_TE),
    KEYWORD("expect", FIELD_EXPECT),
    {0},
};

enum { AGENT_LOOK = 160 }; // products come first; what follows is comments and add-ons

// What kind of program asks: the second byte of info->id. The order matters, for browsers name each other.
enum http_agent {
  AGENT_NONE,
  AGENT_BROWSER,
  AGENT_MOBILE,
  AGENT_TOOL,
  AGENT_BOT,
  AGENT_PLAYER,
  AGENT_UPDATER
};

static const struct {
  const char* part;
  uint8_t agent;
} agents[] = {
    {"bot", AGENT_BOT},
    {"spider", AGENT_BOT},
    {"crawler", AGENT_BOT},
    {"curl/", AGENT_TOOL},
    {"wget/", AGENT_TOOL},
    {"python", AGENT_TOOL},
    {"go-http-client", AGENT_TOOL},
    {"java/", AGENT_TOOL},
    {"libwww", AGENT_TOOL},
    {"microsoft-cryptoapi", AGENT_UPDATER},
    {"windows-update", AGENT_UPDATER},
    {"debian apt", AGENT_UPDATER},
    {"vlc/", AGENT_PLAYER},
    {"applecoremedia", AGENT_PLAYER},
    {"stagefright", AGENT_PLAYER},
    {"okhttp", AGENT_MOBILE},
    {"dalvik/", AGENT_MOBILE},
    {"cfnetwork", AGENT_MOBILE},
    {"android", AGENT_MOBILE},
    {"iphone", AGENT_MOBILE},
    {"mozilla/", AGENT_BROWSER},
    {"opera", AGENT_BROWSER},
};

// What is carried, from Content-Type: the lowest byte of info->id.
enum http_content {
  CONTENT_NONE,
  CONTENT_TEXT,
  CONTENT_IMAGE,
  CONTENT_AUDIO,
  CONTENT_VIDEO,
  CONTENT_APPLICATION,
  CONTENT_STREAM,
  CONTENT_FORM,
  CONTENT_OTHER
};

struct head {
  struct app_info* out;
  uint64_t length;
  uint8_t has_length;
  uint8_t has_host;
  uint8_t chunked;
  uint8_t encoded;
  uint8_t upgrade;
  uint8_t agent;
  uint8_t content;
  uint8_t broken;
};

static bool is_field_char(uint8_t c) {
  if (c <= 0x20 || c >= 0x7f) return false;
  return !strchr("\"(),/:;<=>?@[\\]{}", c);
}

static uint8_t user_agent(struct str value) {
  if (value.n > AGENT_LOOK) value.n = AGENT_LOOK;
  for (uint32_t i = 0; i < sizeof agents / sizeof *agents; i++)
    if (text_contains(value, agents[i].part)) return agents[i].agent;
  return AGENT_NONE;
}

static uint8_t content_type(struct str value) {
  if (text_starts(value, "text/")) return CONTENT_TEXT;
  if (text_starts(value, "image/")) return CONTENT_IMAGE;
  if (text_starts(value, "audio/")) return CONTENT_AUDIO;
  if (text_starts(value, "application/vnd.apple.mpegurl") || text_starts(value, "application/dash+xml"))
    return CONTENT_STREAM;
  if (text_starts(value, "video/")) return CONTENT_VIDEO;
  if (text_starts(value, "application/x-www-form") || text_starts(value, "multipart/form"))
    return CONTENT_FORM;
  if (text_starts(value, "application/")) return CONTENT_APPLICATION;
  return CONTENT_OTHER;
}

static void content_length(struct head* h, struct str value) {
  struct str one;
  while (text_token(&value, ',', &one)) {
    uint64_t n;
    if (!text_number(text_trim(one), &n) || (h->has_length && n != h->length)) {
      h->broken = 1;
      return;
    }
    h->length = n;
    h->has_length = 1;
  }
}

static void transfer_encoding(struct head* h, struct str value) {
  struct str one;
  h->encoded = 1;
  while (text_token(&value, ',', &one))
    h->chunked = text_equal(text_trim(one), "chunked");
}

static void header_field(struct head* h, struct str name, struct str value) {
  switch (text_keyword(name, fields)) {
  case FIELD_HOST:
    if (h->has_host++ || (value.n && !text_host(h->out, value))) h->broken = 1;
    break;
  case FIELD_CONTENT_LENGTH:
    content_length(h, value);
    break;
  case FIELD_CONTENT_TYPE:
    h->content = content_type(value);
    break;
  case FIELD_TRANSFER_ENCODING:
    transfer_encoding(h, value);
    break;
  case FIELD_UPGRADE:
    h->upgrade = 1;
    if (text_contains(value, "h2c")) h->out->alpn = 0x6832;
    break;
  case FIELD_USER_AGENT:
    h->agent = user_agent(value);
    break;
  case FIELD_RANGE:
    if (!text_contains(value, "=")) h->broken = 1;
    break;
  default:
    break;
  }
}

// Reads header fields to the empty line. Returns true if that was there.
static bool header_fields(struct cur* c, struct head* h) {
  struct str line;
  bool ended;
  while (text_line(c, &line, &ended)) {
    if (!ended) return false;
    if (!line.n) return true;
    if (*line.p == ' ' || *line.p == '\t') continue; // obsolete folding: part of the field before
    uint32_t colon;
    if (!text_find(line, ':', &colon) || !colon) {
      h->broken = 1;
      return false;
    }
    struct str name = {line.p, colon};
    struct str value = {line.p + colon + 1, line.n - colon - 1};
    for (uint32_t i = 0; i < name.n; i++)
      if (!is_field_char((uint8_t)name.p[i])) h->broken = 1;
    header_field(h, name, text_trim(value));
  }
  return false;
}

static bool http_version(struct str s, uint16_t* version) {
  if (s.n != 8 || !text_starts(s, "http/") || s.p[6] != '.') return false;
  if (s.p[5] < '0' || s.p[5] > '9' || s.p[7] < '0' || s.p[7] > '9') return false;
  *version = (uint16_t)((s.p[5] - '0') << 8 | (s.p[7] - '0'));
  return true;
}

// METHOD SP target SP HTTP/1.x. `ended` is false when the segment ends inside the line.
static enum app_confidence request_line(struct str line, bool ended, struct app_info* out) {
  struct str method, target;
  if (!text_token(&line, ' ', &method)) return app_not();
  uint8_t kind = text_keyword(method, methods);
  if (!kind || !text_token(&line, ' ', &target) || !target.n) return app_not();
  for (uint32_t i = 0; i < method.n; i++)
    if (method.p[i] >= 'a' && method.p[i] <= 'z') return app_not();
  out->message = kind;
  if (!ended && !line.n) return target.p[0] == '/' ? APP_CONF_STRONG : APP_CONF_WEAK;
  if (!http_version(line, &out->version)) {
    bool rtsp_or_sip = text_starts(line, "rtsp/") || text_starts(line, "sip/") || text_starts(line, "icap/");
    return rtsp_or_sip || !ended ? app_not() : app_broken(out, APP_HTTP);
  }
  // An absolute target or an authority names the host, whatever the Host field says later.
  struct str rest = target;
  if (text_starts(target, "http://")) {
    struct str authority;
    rest.p += 7, rest.n -= 7;
    if (text_token(&rest, '/', &authority)) text_host(out, authority);
  } else if (kind == HTTP_CONNECT) {
    text_host(out, target);
  } else if (target.p[0] != '/' && target.p[0] != '*' && !text_contains(target, "://")) {
    return app_broken(out, APP_HTTP);
  }
  return APP_CONF_STRONG;
}

static enum app_confidence status_line(struct str line, struct app_info* out) {
  struct str version, code;
  uint64_t status;
  if (!text_token(&line, ' ', &version) || !http_version(version, &out->version)) return app_not();
  if (!text_token(&line, ' ', &code) || code.n != 3 || !text_number(code, &status) ||
      !in_range((uint32_t)status, 100, 599))
    return app_broken(out, APP_HTTP);
  out->message = HTTP_RESPONSE;
  out->code = (uint16_t)status;
  return APP_CONF_STRONG;
}

// The size line of the first chunk: hexadecimal digits, extensions behind a semicolon.
static bool first_chunk(struct cur* c, uint32_t* size) {
  struct str line, digits;
  bool ended;
  uint64_t n;
  if (!text_line(c, &line, &ended) || !ended) return true;
  if (!text_token(&line, ';', &digits) || !text_hex(text_trim(digits), &n)) return false;
  *size = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
  return true;
}

static bool body_follows(const struct head* h) {
  uint16_t code = h->out->code;
  return !(code / 100 == 1 || code == 204 || code == 304 || h->out->message == HTTP_HEAD);
}

// One head at the cursor, which is left behind its body where that is in the segment.
static enum app_confidence http_message(struct cur* c, struct app_info* out) {
  struct head h = {.out = out};
  struct str line;
  bool ended;
  if (!text_line(c, &line, &ended)) return app_not();
  bool response = text_starts(line, "http/");
  enum app_confidence got = response ? status_line(line, out) : request_line(line, ended, out);
  if (!got) return got;
  out->transactions++;
  bool whole = ended && header_fields(c, &h);
  if (h.broken) return app_broken(out, APP_HTTP);
  if (whole && !response && out->version == 0x0101 && !h.has_host && out->message != HTTP_PRI)
    out->malformed = 1;
  uint32_t body = 0;
  if (whole && h.chunked && !first_chunk(c, &body)) return app_broken(out, APP_HTTP);
  if (h.encoded && h.has_length) out->malformed = 1; // two framings: request smuggling
  if (!h.encoded && h.has_length && body_follows(&h))
    body = h.length > UINT32_MAX ? UINT32_MAX : (uint32_t)h.length;
  out->body_len = body;
  out->id = (uint32_t)h.upgrade << 24 | (uint32_t)h.chunked << 16 | (uint32_t)h.agent << 8 | h.content;
  if (whole) cur_sub_most(c, body);
  if (!whole || h.chunked || h.upgrade) c->pos = c->len;
  return whole ? APP_CONF_CERTAIN : got;
}

enum app_confidence app_http(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  if (in->len < 8) return app_not();
  enum app_confidence got = http_message(&c, out);
  if (!got) return got;
  app_is(out, APP_HTTP, got);
  // Pipelining: count what follows, and keep what the first message said.
  while (cur_left(&c) >= 16 && out->transactions < 255) {
    struct app_info next;
    memset(&next, 0, offsetof(struct app_info, host));
    if (!http_message(&c, &next)) break;
    out->transactions++;
  }
  return got;
}
