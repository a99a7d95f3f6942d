// A small scanner shared by the text protocols. Every function looks only inside the piece it is given.
#include "app_text.h"

static inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}
static inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool text_line(struct cur* c, struct str* line, bool* ended) {
  uint32_t left = cur_left(c);
  if (!left) return false;
  const uint8_t* start = c->data + c->pos;
  const uint8_t* nl = memchr(start, '\n', left);
  *ended = nl != NULL;
  uint32_t n = nl ? (uint32_t)(nl - start) : left;
  c->pos += nl ? n + 1 : n;
  if (n && start[n - 1] == '\r') n--;
  line->p = (const char*)start;
  line->n = n;
  return true;
}

bool text_token(struct str* s, char separator, struct str* token) {
  if (!s->n) return false;
  uint32_t at;
  token->p = s->p;
  if (text_find(*s, separator, &at)) {
    token->n = at;
    s->p += at + 1;
    s->n -= at + 1;
  } else {
    token->n = s->n;
    s->p += s->n;
    s->n = 0;
  }
  return true;
}

struct str text_trim(struct str s) {
  while (s.n && (*s.p == ' ' || *s.p == '\t'))
    s.p++, s.n--;
  while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
    s.n--;
  return s;
}

bool text_starts(struct str s, const char* text) {
  uint32_t i = 0;
  for (; text[i]; i++)
    if (i >= s.n || lower(s.p[i]) != text[i]) return false;
  return true;
}

bool text_equal(struct str s, const char* text) {
  return strlen(text) == s.n && text_starts(s, text);
}

bool text_find(struct str s, char c, uint32_t* at) {
  if (!s.n) return false;
  const char* p = memchr(s.p, c, s.n);
  if (!p) return false;
  *at = (uint32_t)(p - s.p);
  return true;
}

bool text_contains(struct str s, const char* text) {
  for (; s.n; s.p++, s.n--)
    if (lower(*s.p) == *text && text_starts(s, text)) return true;
  return false;
}

bool text_number(struct str s, uint64_t* value) {
  uint64_t v = 0;
  if (!s.n || s.n > 18) return false;
  for (uint32_t i = 0; i < s.n; i++) {
    if (!is_digit(s.p[i])) return false;
    v = v * 10 + (uint64_t)(s.p[i] - '0');
  }
  *value = v;
  return true;
}

bool text_hex(struct str s, uint64_t* value) {
  uint64_t v = 0;
  if (!s.n || s.n > 15) return false;
  for (uint32_t i = 0; i < s.n; i++) {
    char c = lower(s.p[i]);
    if (is_digit(c))
      v = v << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      v = v << 4 | (uint64_t)(c - 'a' + 10);
    else
      return false;
  }
  *value = v;
  return true;
}

bool text_printable(struct str s) {
  for (uint32_t i = 0; i < s.n; i++) {
    uint8_t c = (uint8_t)s.p[i];
    if ((c < 0x20 && c != '\t') || c == 0x7f) return false;
  }
  return true;
}

uint8_t text_keyword(struct str s, const struct keyword* table) {
  for (; table->text; table++)
    if (table->len == s.n && text_starts(s, table->text)) return table->value;
  return 0;
}

uint8_t text_command(struct str s, const struct keyword* table) {
  for (; table->text; table++) {
    if (!text_starts(s, table->text)) continue;
    if (s.n == table->len || s.p[table->len] == ' ') return table->value;
  }
  return 0;
}

uint16_t text_reply(struct str line, bool* continues) {
  if (line.n < 3 || !is_digit(line.p[0]) || !is_digit(line.p[1]) || !is_digit(line.p[2])) return 0;
  *continues = line.n > 3 && line.p[3] == '-';
  if (line.n > 3 && line.p[3] != ' ' && line.p[3] != '-') return 0;
  return (uint16_t)((line.p[0] - '0') * 100 + (line.p[1] - '0') * 10 + (line.p[2] - '0'));
}

bool text_ipv4(struct str s, uint8_t out[4]) {
  for (int i = 0; i < 4; i++) {
    struct str part;
    uint64_t v;
    if (!text_token(&s, '.', &part) || part.n > 3 || !text_number(part, &v) || v > 255) return false;
    out[i] = (uint8_t)v;
  }
  return s.n == 0;
}

// Groups before "::" go to the front, groups after it to the end.
bool text_ipv6(struct str s, uint8_t out[16]) {
  uint16_t group[8];
  uint32_t n = 0, gap = 8;
  bool has_gap = false;
  if (s.n >= 2 && s.p[0] == ':' && s.p[1] == ':') has_gap = true, gap = 0, s.p += 2, s.n -= 2;
  while (s.n) {
    struct str part;
    uint64_t v;
    if (n == 8) return false;
    bool had_colon = memchr(s.p, ':', s.n) != NULL;
    text_token(&s, ':', &part);
    if (part.n > 4 || !text_hex(part, &v)) return false;
    group[n++] = (uint16_t)v;
    if (had_colon && !s.n) return false;
    if (s.n && s.p[0] == ':') {
      if (has_gap) return false;
      has_gap = true, gap = n, s.p++, s.n--;
    }
  }
  if (has_gap ? n == 8 : n != 8) return false;
  memset(out, 0, 16);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = i < gap ? i : 8 - n + i;
    out[at * 2] = (uint8_t)(group[i] >> 8);
    out[at * 2 + 1] = (uint8_t)group[i];
  }
  return true;
}

bool text_host(struct app_info* info, struct str s) {
  s = text_trim(s);
  uint32_t n = 0;
  bool bracket = s.n && s.p[0] == '[';
  for (uint32_t i = bracket; i < s.n && n < APP_HOST_MAX; i++) {
    char c = lower(s.p[i]);
    if (bracket ? c == ']' : c == ':') break;
    bool fits =
        (c >= 'a' && c <= 'z') || is_digit(c) || c == '.' || c == '-' || c == '_' || (bracket && c == ':');
    if (!fits) {
      info->host_len = 0;
      return false;
    }
    info->host[n++] = c;
  }
  while (n && info->host[n - 1] == '.')
    n--;
  info->host[n] = 0;
  info->host_len = (uint16_t)n;
  return n > 0;
}

void app_add_addr(struct app_info* info, const uint8_t* addr, bool v6, uint8_t proto, uint8_t app,
                  uint16_t port, uint32_t ttl) {
  if (info->naddr >= APP_ADDR_MAX) return;
  struct app_addr* a = &info->addr[info->naddr++];
  memset(a, 0, sizeof *a);
  memcpy(a->addr, addr, v6 ? 16 : 4);
  a->is_v6 = v6;
  a->proto = proto;
  a->app = app;
  a->port = port;
  a->ttl = ttl;
}
