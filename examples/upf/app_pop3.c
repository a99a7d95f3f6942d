// POP3 (RFC 1939, RFC 2449): commands and the two replies.
#include "app_proto.h"
#include "app_text.h"

enum { POP3_PORT = 110 };
enum { BARE = 1, NUMBER, TEXT };

static const struct keyword commands[] = {
    KEYWORD("user", TEXT),   KEYWORD("pass", TEXT),   KEYWORD("apop", TEXT),   KEYWORD("stat", BARE),
    KEYWORD("list", NUMBER), KEYWORD("retr", NUMBER), KEYWORD("dele", NUMBER), KEYWORD("noop", BARE),
    KEYWORD("rset", BARE),   KEYWORD("quit", BARE),   KEYWORD("top", NUMBER),  KEYWORD("uidl", NUMBER),
    KEYWORD("capa", BARE),   KEYWORD("stls", BARE),   KEYWORD("auth", TEXT),   {0},
};

enum app_confidence app_pop3(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  struct str line, word;
  bool ended;
  bool own_port = app_port_is(in, POP3_PORT);
  if (!text_line(&c, &line, &ended) || line.n > 512) return app_not();
  out->transactions = 1;
  if (text_starts(line, "+ok") || text_starts(line, "-err")) {
    bool named = text_contains(line, "pop");
    return app_is_other(out, OTHER_POP3,
                        named      ? APP_CONF_CERTAIN
                        : own_port ? APP_CONF_STRONG
                                   : APP_CONF_WEAK);
  }
  uint8_t kind = text_command(line, commands);
  if (!own_port || !kind || !text_printable(line)) return app_not();
  text_token(&line, ' ', &word);
  uint64_t n;
  if (kind == BARE && line.n) return app_not();
  if (kind == NUMBER && text_token(&line, ' ', &word) && !text_number(word, &n)) return app_not();
  return app_is_other(out, OTHER_POP3, APP_CONF_STRONG);
}
