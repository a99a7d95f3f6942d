// FTP's control connection (RFC 959, RFC 2428, RFC 4217): commands, replies, and the addresses of data
// connections.
//
// PORT and EPRT come from the client, the answers to PASV and EPSV from the server; each announces the
// endpoint of a data connection, which app_info.addr carries so that the flow is known before its first byte.
// EPSV gives a port without an address: the peer's, which the caller fills in (all zero here).
#include "app_proto.h"
#include "app_text.h"

enum { FTP_PORT = 21, TCP = 6, DATA_TTL = 60 };

enum ftp_command {
  FTP_USER = 1,
  FTP_PASS,
  FTP_ACCT,
  FTP_CWD,
  FTP_CDUP,
  FTP_QUIT,
  FTP_REIN,
  FTP_PORT_COMMAND,
  FTP_PASV,
  FTP_TYPE,
  FTP_STRU,
  FTP_MODE,
  FTP_RETR,
  FTP_STOR,
  FTP_STOU,
  FTP_APPE,
  FTP_ALLO,
  FTP_REST,
  FTP_RNFR,
  FTP_RNTO,
  FTP_ABOR,
  FTP_DELE,
  FTP_RMD,
  FTP_MKD,
  FTP_PWD,
  FTP_LIST,
  FTP_NLST,
  FTP_SITE,
  FTP_SYST,
  FTP_STAT,
  FTP_HELP,
  FTP_NOOP,
  FTP_FEAT,
  FTP_OPTS,
  FTP_AUTH,
  FTP_PBSZ,
  FTP_PROT,
  FTP_EPRT,
  FTP_EPSV,
  FTP_MLSD,
  FTP_MLST,
  FTP_MDTM,
  FTP_SIZE,
  FTP_CLNT,
  FTP_REPLY = 64
};

static const struct keyword commands[] = {
    KEYWORD("user", FTP_USER), KEYWORD("pass", FTP_PASS),
    KEYWORD("acct", FTP_ACCT), KEYWORD("cwd", FTP_CWD),
    KEYWORD("cdup", FTP_CDUP), KEYWORD("quit", FTP_QUIT),
    KEYWORD("rein", FTP_REIN), KEYWORD("port", FTP_PORT_COMMAND),
    KEYWORD("pasv", FTP_PASV), KEYWORD("type", FTP_TYPE),
    KEYWORD("stru", FTP_STRU), KEYWORD("mode", FTP_MODE),
    KEYWORD("retr", FTP_RETR), KEYWORD("stor", FTP_STOR),
    KEYWORD("stou", FTP_STOU), KEYWORD("appe", FTP_APPE),
    KEYWORD("allo", FTP_ALLO), KEYWORD("rest", FTP_REST),
    KEYWORD("rnfr", FTP_RNFR), KEYWORD("rnto", FTP_RNTO),
    KEYWORD("abor", FTP_ABOR), KEYWORD("dele", FTP_DELE),
    KEYWORD("rmd", FTP_RMD),   KEYWORD("mkd", FTP_MKD),
    KEYWORD("pwd", FTP_PWD),   KEYWORD("xpwd", FTP_PWD),
    KEYWORD("list", FTP_LIST), KEYWORD("nlst", FTP_NLST),
    KEYWORD("site", FTP_SITE), KEYWORD("syst", FTP_SYST),
    KEYWORD("stat", FTP_STAT), KEYWORD("help", FTP_HELP),
    KEYWORD("noop", FTP_NOOP), KEYWORD("feat", FTP_FEAT),
    KEYWORD("opts", FTP_OPTS), KEYWORD("auth", FTP_AUTH),
    KEYWORD("pbsz", FTP_PBSZ), KEYWORD("prot", FTP_PROT),
    KEYWORD("eprt", FTP_EPRT), KEYWORD("epsv", FTP_EPSV),
    KEYWORD("mlsd", FTP_MLSD), KEYWORD("mlst", FTP_MLST),
    KEYWORD("mdtm", FTP_MDTM), KEYWORD("size", FTP_SIZE),
    KEYWORD("clnt", FTP_CLNT), {0},
};

// h1,h2,h3,h4,p1,p2; text behind the sixth number is left alone.
static bool host_port(struct str s, struct app_info* out) {
  uint8_t v[6];
  for (int i = 0; i < 6; i++) {
    struct str part;
    uint64_t n;
    if (i < 5) {
      if (!text_token(&s, ',', &part)) return false;
    } else {
      uint32_t digits = 0;
      while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
        digits++;
      part.p = s.p, part.n = digits;
    }
    if (!text_number(text_trim(part), &n) || n > 255) return false;
    v[i] = (uint8_t)n;
  }
  uint16_t port = get_u16(v + 4);
  if (!port) return false;
  app_add_addr(out, v, false, TCP, APP_FTP_DATA, port, DATA_TTL);
  return true;
}

// |1|132.235.1.2|6275| or |2|2001:db8::1|6275|, with any delimiter.
static bool extended_host_port(struct str s, struct app_info* out) {
  struct str empty, family, address, port;
  uint8_t addr[16] = {0};
  uint64_t n;
  if (s.n < 4) return false;
  char d = s.p[0];
  if (!text_token(&s, d, &empty) || !text_token(&s, d, &family) || !text_token(&s, d, &address)) return false;
  if (!text_token(&s, d, &port) || !text_number(port, &n) || !n || n > UINT16_MAX) return false;
  bool v6 = text_equal(family, "2");
  if (!v6 && !text_equal(family, "1")) return false;
  if (!(v6 ? text_ipv6(address, addr) : text_ipv4(address, addr))) return false;
  app_add_addr(out, addr, v6, TCP, APP_FTP_DATA, (uint16_t)n, DATA_TTL);
  return true;
}

static enum app_confidence command(struct str line, bool ended, const struct app_input* in,
                                   struct app_info* out) {
  uint8_t kind = text_command(line, commands);
  struct str rest = line, name;
  if (!kind || !text_printable(line)) return app_not();
  text_token(&rest, ' ', &name);
  out->message = kind;
  out->transactions = 1;
  switch (kind) {
  case FTP_PORT_COMMAND:
    return host_port(rest, out) ? APP_CONF_CERTAIN : app_broken(out, APP_FTP);
  case FTP_EPRT:
    return extended_host_port(rest, out) ? APP_CONF_CERTAIN : app_broken(out, APP_FTP);
  case FTP_PASV:
  case FTP_EPSV:
  case FTP_FEAT:
  case FTP_SYST:
    return APP_CONF_STRONG;
  case FTP_TYPE:
    if (!rest.n || !strchr("aeilAEIL", rest.p[0])) return app_not();
    return APP_CONF_STRONG;
  case FTP_AUTH:
    return text_starts(rest, "tls") || text_starts(rest, "ssl") ? APP_CONF_CERTAIN : APP_CONF_WEAK;
  default:
    return app_port_is(in, FTP_PORT) && ended ? APP_CONF_STRONG : APP_CONF_WEAK;
  }
}

// "227 Entering Passive Mode (h1,h2,h3,h4,p1,p2)": the address begins at the first digit behind the text.
static bool passive(struct str line, struct app_info* out) {
  struct str s = {line.p + 3, line.n - 3};
  while (s.n && (s.p[0] < '0' || s.p[0] > '9'))
    s.p++, s.n--;
  return host_port(s, out);
}

// "229 Entering Extended Passive Mode (|||6446|)"
static bool extended_passive(struct str line, struct app_info* out) {
  static const uint8_t peer[16] = {0};
  uint32_t at;
  uint64_t n;
  if (!text_find(line, '(', &at) || line.n - at < 6) return false;
  struct str s = {line.p + at + 1, line.n - at - 1}, port;
  char d = s.p[0];
  if (s.p[1] != d || s.p[2] != d) return false;
  s.p += 3, s.n -= 3;
  if (!text_token(&s, d, &port) || !text_number(port, &n) || !n || n > UINT16_MAX) return false;
  app_add_addr(out, peer, false, TCP, APP_FTP_DATA, (uint16_t)n, DATA_TTL);
  return true;
}

static enum app_confidence reply(struct cur c, const struct app_input* in, struct app_info* out) {
  struct str line;
  bool ended, continues, names_ftp = false;
  uint16_t code = 0;
  while (text_line(&c, &line, &ended)) {
    uint16_t this_code = text_reply(line, &continues);
    if (!this_code && !code) return app_not();
    if (!this_code) continue; // the inner lines of a long reply are free text
    if (!in_range(this_code, 110, 559)) return app_not();
    code = this_code;
    out->transactions += !continues;
    names_ftp |= text_contains(line, "ftp");
    if (code == 227 && !passive(line, out)) return app_broken(out, APP_FTP);
    if (code == 229 && !extended_passive(line, out)) return app_broken(out, APP_FTP);
  }
  if (!code) return app_not();
  out->message = FTP_REPLY;
  out->code = code;
  if (names_ftp || code == 227 || code == 229) return APP_CONF_CERTAIN;
  return app_port_is(in, FTP_PORT) ? APP_CONF_STRONG : APP_CONF_WEAK;
}

enum app_confidence app_ftp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  struct str line;
  bool ended;
  if (in->len < 3) return app_not();
  if (in_range(in->payload[0], '1', '5')) {
    enum app_confidence got = reply(c, in, out);
    return got ? app_is(out, APP_FTP, got) : got;
  }
  if (!text_line(&c, &line, &ended) || line.n > 512) return app_not();
  enum app_confidence got = command(line, ended, in, out);
  return got ? app_is(out, APP_FTP, got) : got;
}
