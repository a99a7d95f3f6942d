// SSDP of UPnP: HTTP-like messages over UDP.
#include "app_proto.h"
#include "app_text.h"

enum { SSDP_PORT = 1900 };

enum app_confidence app_ssdp(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  struct str line, name;
  bool ended, known = false;
  if (!text_line(&c, &line, &ended) || !ended) return app_not();
  bool search = text_equal(line, "m-search * http/1.1");
  bool notify = text_equal(line, "notify * http/1.1");
  bool answer = text_equal(line, "http/1.1 200 ok") && app_port_is(in, SSDP_PORT);
  if (!search && !notify && !answer) return app_not();
  while (text_line(&c, &line, &ended) && line.n) {
    struct str value = line;
    if (!text_token(&value, ':', &name) || !name.n || name.n == line.n) return app_not();
    name = text_trim(name);
    value = text_trim(value);
    known |= text_equal(name, "nt") || text_equal(name, "st") || text_equal(name, "usn");
    if (text_equal(name, "man") && !text_equal(value, "\"ssdp:discover\"")) return app_not();
  }
  out->code = search ? 1 : notify ? 2 : 3;
  out->transactions = 1;
  return app_is_other(out, OTHER_SSDP, known ? APP_CONF_CERTAIN : APP_CONF_STRONG);
}
