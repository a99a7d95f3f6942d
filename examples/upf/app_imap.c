// IMAP (RFC 9051): tagged commands, tagged and untagged responses.
#include "app_proto.h"
#include "app_text.h"

enum { IMAP_PORT = 143 };
enum { CLEAR = 1, ARGUMENT, STATUS, DATA };

static const struct keyword commands[] = {
    KEYWORD("capability", CLEAR),
    KEYWORD("noop", CLEAR),
    KEYWORD("logout", CLEAR),
    KEYWORD("starttls", CLEAR),
    KEYWORD("check", CLEAR),
    KEYWORD("close", CLEAR),
    KEYWORD("expunge", CLEAR),
    KEYWORD("idle", CLEAR),
    KEYWORD("namespace", CLEAR),
    KEYWORD("login", ARGUMENT),
    KEYWORD("authenticate", ARGUMENT),
    KEYWORD("select", ARGUMENT),
    KEYWORD("examine", ARGUMENT),
    KEYWORD("create", ARGUMENT),
    KEYWORD("delete", ARGUMENT),
    KEYWORD("rename", ARGUMENT),
    KEYWORD("subscribe", ARGUMENT),
    KEYWORD("list", ARGUMENT),
    KEYWORD("lsub", ARGUMENT),
    KEYWORD("status", ARGUMENT),
    KEYWORD("append", ARGUMENT),
    KEYWORD("search", ARGUMENT),
    KEYWORD("fetch", ARGUMENT),
    KEYWORD("store", ARGUMENT),
    KEYWORD("copy", ARGUMENT),
    KEYWORD("uid", ARGUMENT),
    KEYWORD("id", ARGUMENT),
    KEYWORD("enable", ARGUMENT),
    {0},
};

static const struct keyword responses[] = {
    KEYWORD("ok", STATUS),      KEYWORD("no", STATUS),    KEYWORD("bad", STATUS),
    KEYWORD("preauth", STATUS), KEYWORD("bye", STATUS),   KEYWORD("capability", DATA),
    KEYWORD("list", DATA),      KEYWORD("lsub", DATA),    KEYWORD("status", DATA),
    KEYWORD("search", DATA),    KEYWORD("flags", DATA),   KEYWORD("namespace", DATA),
    KEYWORD("id", DATA),        KEYWORD("enabled", DATA), {0},
};

static bool tag_fits(struct str tag) {
  if (!tag.n || tag.n > 32) return false;
  for (uint32_t i = 0; i < tag.n; i++)
    if ((uint8_t)tag.p[i] <= ' ' || (uint8_t)tag.p[i] > '~' || strchr("(){%*\"\\+", tag.p[i])) return false;
  return true;
}

enum app_confidence app_imap(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  struct str line, tag, number;
  bool ended;
  uint64_t n;
  bool own_port = app_port_is(in, IMAP_PORT);
  if (!text_line(&c, &line, &ended) || !text_printable(line) || !text_token(&line, ' ', &tag) || !line.n)
    return app_not();
  out->transactions = 1;
  if (text_equal(tag, "+")) return own_port ? app_is_other(out, OTHER_IMAP, APP_CONF_WEAK) : app_not();
  bool untagged = text_equal(tag, "*");
  if (!untagged && !tag_fits(tag)) return app_not();
  uint8_t response = text_command(line, responses);
  if (untagged && !response) { // "* 23 EXISTS"
    if (!text_token(&line, ' ', &number) || !text_number(number, &n)) return app_not();
    bool fits = text_equal(line, "exists") || text_equal(line, "recent") || text_equal(line, "expunge") ||
                text_starts(line, "fetch (");
    return fits ? app_is_other(out, OTHER_IMAP, APP_CONF_STRONG) : app_not();
  }
  if (untagged) {
    bool named = text_contains(line, "imap");
    return app_is_other(out, OTHER_IMAP,
                        named      ? APP_CONF_CERTAIN
                        : own_port ? APP_CONF_STRONG
                                   : APP_CONF_WEAK);
  }
  uint8_t command = text_command(line, commands);
  if (!command && response != STATUS) return app_not();
  return own_port ? app_is_other(out, OTHER_IMAP, APP_CONF_CERTAIN) : app_not();
}
