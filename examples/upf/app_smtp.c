// SMTP (RFC 5321) with the extensions of RFC 1869: commands, replies, STARTTLS.
//
// A client's segment is a line that begins with a command; a server's is one or more reply lines with the
// same code. Both are checked as a whole. FTP's replies look alike, so on foreign ports only what names SMTP
// itself counts.
#include "app_proto.h"
#include "app_text.h"

enum smtp_command {
  SMTP_HELO = 1,
  SMTP_EHLO,
  SMTP_LHLO,
  SMTP_MAIL,
  SMTP_RCPT,
  SMTP_DATA,
  SMTP_BDAT,
  SMTP_RSET,
  SMTP_NOOP,
  SMTP_QUIT,
  SMTP_VRFY,
  SMTP_EXPN,
  SMTP_HELP,
  SMTP_AUTH,
  SMTP_STARTTLS,
  SMTP_ETRN,
  SMTP_XCLIENT,
  SMTP_REPLY = 64
};

static const struct keyword commands[] = {
    KEYWORD("helo", SMTP_HELO), KEYWORD("ehlo", SMTP_EHLO),       KEYWORD("lhlo", SMTP_LHLO),
    KEYWORD("mail", SMTP_MAIL), KEYWORD("rcpt", SMTP_RCPT),       KEYWORD("data", SMTP_DATA),
    KEYWORD("bdat", SMTP_BDAT), KEYWORD("rset", SMTP_RSET),       KEYWORD("noop", SMTP_NOOP),
    KEYWORD("quit", SMTP_QUIT), KEYWORD("vrfy", SMTP_VRFY),       KEYWORD("expn", SMTP_EXPN),
    KEYWORD("help", SMTP_HELP), KEYWORD("auth", SMTP_AUTH),       KEYWORD("starttls", SMTP_STARTTLS),
    KEYWORD("etrn", SMTP_ETRN), KEYWORD("xclient", SMTP_XCLIENT), {0},
};

static bool own_port(const struct app_input* in) {
  return app_port_is(in, 25) || app_port_is(in, 587) || app_port_is(in, 2525);
}

// <local@domain> with parameters behind: the domain becomes the host.
static bool path_domain(struct str s, struct app_info* out) {
  uint32_t at;
  if (!text_find(s, '<', &at)) return false;
  s.p += at + 1, s.n -= at + 1;
  if (!text_find(s, '>', &at)) return false;
  s.n = at;
  if (!s.n) return true; // the empty reverse path of bounces
  if (!text_find(s, '@', &at)) return text_equal(s, "postmaster");
  s.p += at + 1, s.n -= at + 1;
  return (s.n && s.p[0] == '[') || text_host(out, s);
}

static enum app_confidence command(struct str line, bool ended, const struct app_input* in,
                                   struct app_info* out) {
  struct str name;
  struct str rest = line;
  uint8_t kind = text_command(line, commands);
  if (!kind || !text_printable(line)) return app_not();
  text_token(&rest, ' ', &name);
  out->message = kind;
  out->transactions = 1;
  switch (kind) {
  case SMTP_HELO:
  case SMTP_EHLO:
  case SMTP_LHLO:
    if (!rest.n) return app_broken(out, APP_SMTP);
    if (rest.p[0] != '[') text_host(out, rest);
    return APP_CONF_CERTAIN;
  case SMTP_MAIL:
    if (!text_starts(rest, "from:")) return app_broken(out, APP_SMTP);
    return path_domain(rest, out) ? APP_CONF_CERTAIN : app_broken(out, APP_SMTP);
  case SMTP_RCPT:
    if (!text_starts(rest, "to:")) return app_broken(out, APP_SMTP);
    return path_domain(rest, out) ? APP_CONF_CERTAIN : app_broken(out, APP_SMTP);
  case SMTP_STARTTLS:
    return rest.n ? app_broken(out, APP_SMTP) : APP_CONF_STRONG;
  case SMTP_DATA:
  case SMTP_RSET:
  case SMTP_QUIT:
    if (rest.n) return app_not();
    break;
  default:
    break;
  }
  return own_port(in) && ended ? APP_CONF_STRONG : APP_CONF_WEAK;
}

static bool code_fits(uint16_t code) {
  switch (code) {
  case 211:
  case 214:
  case 220:
  case 221:
  case 235:
  case 250:
  case 251:
  case 252:
  case 334:
  case 354:
  case 421:
  case 450:
  case 451:
  case 452:
  case 454:
  case 455:
  case 500:
  case 501:
  case 502:
  case 503:
  case 504:
  case 521:
  case 530:
  case 534:
  case 535:
  case 538:
  case 550:
  case 551:
  case 552:
  case 553:
  case 554:
  case 555:
    return true;
  default:
    return false;
  }
}

// Lines of one reply repeat its code and all but the last have a dash behind it.
static enum app_confidence reply(struct cur c, const struct app_input* in, struct app_info* out) {
  struct str line;
  bool ended, more = true, names_smtp = false;
  uint16_t code = 0;
  while (text_line(&c, &line, &ended)) {
    bool continues;
    uint16_t this_code = text_reply(line, &continues);
    if (!this_code || !code_fits(this_code) || (code && more && this_code != code))
      return code ? APP_CONF_WEAK : app_not();
    if (!code && this_code == 220) {
      struct str rest = {line.p + 3, line.n - 3}, host;
      if (rest.n) rest.p++, rest.n--;
      if (text_token(&rest, ' ', &host) && text_contains(host, ".")) text_host(out, host);
    }
    names_smtp |=
        text_contains(line, "smtp") || text_contains(line, "starttls") || text_contains(line, "8bitmime");
    out->transactions += !continues;
    code = this_code;
    more = continues;
  }
  if (!code) return app_not();
  out->message = SMTP_REPLY;
  out->code = code;
  if (names_smtp) return APP_CONF_CERTAIN;
  return own_port(in) ? APP_CONF_STRONG : APP_CONF_WEAK;
}

enum app_confidence app_smtp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  struct str line;
  bool ended;
  if (in->len < 4) return app_not();
  if (in_range(in->payload[0], '2', '5')) {
    enum app_confidence got = reply(c, in, out);
    return got ? app_is(out, APP_SMTP, got) : got;
  }
  if (!text_line(&c, &line, &ended) || line.n > 512) return app_not();
  enum app_confidence got = command(line, ended, in, out);
  return got ? app_is(out, APP_SMTP, got) : got;
}
