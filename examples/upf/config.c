// The session file's parser. Format: README.md.

#include "config.h"
#include "meter.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 96, MAX_SESSIONS = 1000000 };

// One line cut into words, with a cursor. A failed read leaves its message in err and sets failed.
struct line {
  const char* file;
  unsigned number;
  char* words[MAX_WORDS];
  unsigned nwords, at;
  bool failed;
  char* err;
  size_t err_len;
};

struct reader {
  struct config* config;
  struct rule_set* rules; // the open rule set, if any
  struct pdr* pdr;        // takes the filters that follow
};

__attribute__((format(printf, 2, 3))) static bool fail(struct line* l, const char* format, ...) {
  if (l->failed) return false;
  l->failed = true;
  int n = snprintf(l->err, l->err_len, "%s:%u: ", l->file, l->number);
  if (n < 0 || (size_t)n >= l->err_len) return false;
  va_list args;
  va_start(args, format);
  vsnprintf(l->err + n, l->err_len - (size_t)n, format, args);
  va_end(args);
  return false;
}

static void split(struct line* l, char* text) {
  char* hash = strchr(text, '#');
  if (hash) *hash = 0;
  l->nwords = l->at = 0;
  char* save = NULL;
  for (char* w = strtok_r(text, " \t\r\n", &save); w; w = strtok_r(NULL, " \t\r\n", &save)) {
    if (l->nwords == MAX_WORDS) {
      fail(l, "more than %d words", MAX_WORDS);
      return;
    }
    l->words[l->nwords++] = w;
  }
}

static const char* peek(const struct line* l) {
  return l->at < l->nwords ? l->words[l->at] : NULL;
}

static const char* word(struct line* l, const char* what) {
  if (l->at < l->nwords) return l->words[l->at++];
  fail(l, "%s expected at the end of the line", what);
  return "";
}

static bool take(struct line* l, const char* word) {
  if (!peek(l) || strcmp(peek(l), word) != 0) return false;
  l->at++;
  return true;
}

static uint64_t parse_number(struct line* l, const char* text, uint64_t max, const char* what) {
  char* end = NULL;
  errno = 0;
  unsigned long long v = strtoull(text, &end, 0);
  if (text[0] < '0' || text[0] > '9' || *end || errno || v > max)
    fail(l, "%s expected, up to %llu, not '%s'", what, (unsigned long long)max, text);
  return l->failed ? 0 : v;
}

static uint64_t number(struct line* l, uint64_t max, const char* what) {
  return parse_number(l, word(l, what), max, what);
}

static uint64_t seconds(struct line* l, const char* what) {
  return number(l, 100000000, what) * 1000000000ull;
}

static struct ip_prefix parse_address(struct line* l, const char* text) {
  struct ip_prefix p = {0};
  char copy[64];
  snprintf(copy, sizeof copy, "%s", text);
  char* slash = strchr(copy, '/');
  if (slash) *slash = 0;
  if (inet_pton(AF_INET, copy, p.addr) == 1)
    p.family = 4;
  else if (inet_pton(AF_INET6, copy, p.addr) == 1)
    p.family = 6;
  else
    fail(l, "IP address expected, not '%s'", text);
  unsigned bits = p.family == 4 ? 32 : 128;
  p.len = slash ? (uint8_t)parse_number(l, slash + 1, bits, "prefix length") : (uint8_t)bits;
  return p;
}

static struct ip_prefix address(struct line* l, uint8_t family, const char* what) {
  struct ip_prefix p = parse_address(l, word(l, what));
  if (!l->failed && family && p.family != family) fail(l, "%s must be an IPv%u address", what, family);
  return p;
}

static void mac(struct line* l, uint8_t out[6]) {
  const char* text = word(l, "MAC address");
  unsigned v[6];
  char rest;
  if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%c", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &rest) != 6) {
    fail(l, "MAC address expected, not '%s'", text);
    return;
  }
  for (int i = 0; i < 6; i++)
    out[i] = (uint8_t)v[i];
}

static void port_line(struct line* l, struct config* c) {
  struct port_config* p = NULL;
  if (take(l, "n3"))
    p = &c->port[IF_ACCESS];
  else if (take(l, "n6"))
    p = &c->port[IF_CORE];
  if (!p) {
    fail(l, "'n3' or 'n6' expected after 'port'");
    return;
  }
  while (!l->failed && peek(l)) {
    if (take(l, "ip4"))
      memcpy(p->ip4, address(l, 4, "ip4").addr, 4);
    else if (take(l, "ip6"))
      memcpy(p->ip6, address(l, 6, "ip6").addr, 16);
    else if (take(l, "mac"))
      mac(l, p->mac);
    else if (take(l, "peer-mac"))
      mac(l, p->peer_mac);
    else if (take(l, "mtu"))
      p->mtu = (uint16_t)number(l, 9600, "MTU");
    else if (take(l, "vlan"))
      p->vlan = (uint16_t)number(l, 4094, "VLAN id");
    else
      fail(l, "unknown word '%s' in a port statement", peek(l));
  }
  if (!l->failed && p->mtu < 1280) fail(l, "an MTU below 1280 cannot carry IPv6");
}

static void far_line(struct line* l, struct rule_set* r) {
  if (r->nfars == MAX_FARS) {
    fail(l, "more than %d FARs in a rule set", MAX_FARS);
    return;
  }
  struct far* f = &r->fars[r->nfars++];
  f->id = (uint16_t)number(l, 65535, "FAR id");
  if (take(l, "forward"))
    f->actions = FAR_FORWARD;
  else if (take(l, "drop"))
    f->actions = FAR_DROP;
  else if (take(l, "buffer"))
    f->actions = FAR_BUFFER;
  else
    fail(l, "'forward', 'drop' or 'buffer' expected");
  while (!l->failed && peek(l)) {
    if (take(l, "notify"))
      f->actions |= FAR_NOTIFY;
    else if (take(l, "duplicate"))
      f->actions |= FAR_DUPLICATE;
    else if (take(l, "copy-marking"))
      f->copy_marking = true;
    else if (take(l, "sequence"))
      f->sequence = true;
    else if (take(l, "to")) {
      if (take(l, "access"))
        f->dest = IF_ACCESS;
      else if (take(l, "core"))
        f->dest = IF_CORE;
      else
        fail(l, "'access' or 'core' expected after 'to'");
    } else if (take(l, "marking")) {
      f->marking = (uint8_t)number(l, 63, "DSCP");
      f->has_marking = true;
    } else if (take(l, "inner-marking")) {
      f->inner_marking = (uint8_t)number(l, 63, "DSCP");
      f->has_inner_marking = true;
    } else if (take(l, "outer")) {
      if (take(l, "session"))
        f->outer = OUTER_SESSION;
      else {
        f->outer = OUTER_FIXED;
        f->peer = address(l, 0, "peer address");
        f->teid = (uint32_t)number(l, UINT32_MAX, "TEID");
      }
    } else
      fail(l, "unknown word '%s' in a FAR", peek(l));
  }
}

static void rates(struct line* l, uint64_t out[2], const char* what) {
  out[1] = number(l, 1000000000000ull, what);
  out[0] = number(l, 1000000000000ull, what);
}

static void qer_line(struct line* l, struct rule_set* r) {
  if (r->nqers == MAX_QERS) {
    fail(l, "more than %d QERs in a rule set", MAX_QERS);
    return;
  }
  struct qer* q = &r->qers[r->nqers++];
  q->id = (uint16_t)number(l, 65535, "QER id");
  q->gate_open[0] = q->gate_open[1] = true;
  q->burst_ms = 50;
  while (!l->failed && peek(l)) {
    if (take(l, "session"))
      q->session_level = true;
    else if (take(l, "mbr"))
      rates(l, q->mbr, "MBR in bit/s");
    else if (take(l, "gbr"))
      rates(l, q->gbr, "GBR in bit/s");
    else if (take(l, "rqi"))
      q->rqi = true;
    else if (take(l, "burst"))
      q->burst_ms = (uint32_t)number(l, 10000, "burst in ms");
    else if (take(l, "qfi"))
      q->qfi = (uint8_t)number(l, 63, "QFI");
    else if (take(l, "pps")) {
      q->pps[1] = (uint32_t)number(l, 1000000000, "packets per second");
      q->pps[0] = (uint32_t)number(l, 1000000000, "packets per second");
    } else if (take(l, "ppi")) {
      q->ppi = (uint8_t)number(l, 7, "PPI");
      q->has_ppi = true;
    } else if (take(l, "gate")) {
      int dir = take(l, "ul") ? 1 : take(l, "dl") ? 0 : -1;
      if (dir < 0)
        fail(l, "'ul' or 'dl' expected after 'gate'");
      else if (take(l, "closed"))
        q->gate_open[dir] = false;
      else if (!take(l, "open"))
        fail(l, "'open' or 'closed' expected");
    } else
      fail(l, "unknown word '%s' in a QER", peek(l));
  }
}

static void volume(struct line* l, uint64_t out[3]) {
  int which = take(l, "dl") ? 0 : take(l, "ul") ? 1 : take(l, "total") ? 2 : -1;
  if (which < 0)
    fail(l, "'ul', 'dl' or 'total' expected");
  else
    out[which] = number(l, UINT64_MAX >> 1, "octets");
}

static void urr_line(struct line* l, struct rule_set* r) {
  if (r->nurrs == MAX_URRS) {
    fail(l, "more than %d URRs in a rule set", MAX_URRS);
    return;
  }
  struct urr* u = &r->urrs[r->nurrs++];
  u->id = (uint16_t)number(l, 65535, "URR id");
  while (!l->failed && peek(l)) {
    if (take(l, "threshold"))
      volume(l, u->threshold);
    else if (take(l, "quota"))
      volume(l, u->quota);
    else if (take(l, "time-threshold"))
      u->time_threshold = seconds(l, "seconds");
    else if (take(l, "time-quota"))
      u->time_quota = seconds(l, "seconds");
    else if (take(l, "period"))
      u->period = seconds(l, "seconds");
    else if (take(l, "start"))
      u->report_start = true;
    else if (take(l, "stop"))
      u->stop_after = seconds(l, "seconds");
    else
      fail(l, "unknown word '%s' in a URR", peek(l));
  }
}

// PDRs name FARs, QERs and URRs by id; the ids are replaced by indices when the rule set is complete, so
// until then these fields hold positions in `refs`.
struct pdr_refs {
  uint16_t far, qer[REFS_PER_PDR], urr[REFS_PER_PDR];
};

static struct pdr_refs refs[MAX_PDRS];

static void pdr_ref(struct line* l, uint8_t* count, uint16_t* ids, const char* what) {
  if (*count == REFS_PER_PDR)
    fail(l, "more than %d references to a %s", REFS_PER_PDR, what);
  else
    ids[(*count)++] = (uint16_t)number(l, 65535, what);
}

static void pdr_words(struct line* l, struct pdr* p, struct pdr_refs* ref) {
  bool has_far = false;
  while (!l->failed && peek(l)) {
    if (take(l, "precedence"))
      p->precedence = (uint32_t)number(l, UINT32_MAX, "precedence");
    else if (take(l, "remove-outer"))
      p->remove_outer = true;
    else if (take(l, "qer"))
      pdr_ref(l, &p->nqers, ref->qer, "QER id");
    else if (take(l, "urr"))
      pdr_ref(l, &p->nurrs, ref->urr, "URR id");
    else if (take(l, "from")) {
      if (take(l, "core"))
        p->source = IF_CORE;
      else if (!take(l, "access"))
        fail(l, "'access' or 'core' expected after 'from'");
    } else if (take(l, "qfi")) {
      p->qfi = (uint8_t)number(l, 63, "QFI");
      p->has_qfi = true;
    } else if (take(l, "far")) {
      ref->far = (uint16_t)number(l, 65535, "FAR id");
      has_far = true;
    } else if (take(l, "app")) {
      const char* name = word(l, "application name");
      p->app = (uint8_t)app_by_name(name);
      if (p->app == APP_ID_COUNT) fail(l, "unknown application '%s'", name);
    } else if (take(l, "class")) {
      const char* name = word(l, "traffic class");
      p->traffic_class = (uint8_t)traffic_class_by_name(name);
      if (p->traffic_class == CLASS_COUNT) fail(l, "unknown traffic class '%s'", name);
    } else if (take(l, "host")) {
      const char* host = word(l, "host suffix");
      size_t len = strlen(host);
      if (len == 0 || len >= sizeof p->host)
        fail(l, "host suffix of 1 to 63 characters expected");
      else
        memcpy(p->host, host, len + 1);
      p->host_len = (uint8_t)len;
    } else
      fail(l, "unknown word '%s' in a PDR", peek(l));
  }
  if (!has_far) fail(l, "a PDR needs a FAR");
}

static void pdr_line(struct line* l, struct reader* rd) {
  struct rule_set* r = rd->rules;
  if (r->npdrs == MAX_PDRS) {
    fail(l, "more than %d PDRs in a rule set", MAX_PDRS);
    return;
  }
  struct pdr_refs* ref = &refs[r->npdrs];
  struct pdr* p = &r->pdrs[r->npdrs++];
  p->id = (uint16_t)number(l, 65535, "PDR id");
  p->first_filter = r->nfilters;
  p->traffic_class = ANY_CLASS;
  p->far = (uint8_t)(p - r->pdrs);
  pdr_words(l, p, ref);
  rd->pdr = p;
}

static void port_ranges(struct line* l, struct port_range* out, uint8_t* count) {
  const char* text = peek(l);
  if (!text || text[0] < '0' || text[0] > '9') return;
  char* list = l->words[l->at++];
  char* save = NULL;
  for (char* part = strtok_r(list, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
    if (*count == MAX_RANGES) {
      fail(l, "more than %d port ranges", MAX_RANGES);
      return;
    }
    char* dash = strchr(part, '-');
    if (dash) *dash++ = 0;
    struct port_range* range = &out[(*count)++];
    range->lo = (uint16_t)parse_number(l, part, 65535, "port");
    range->hi = dash ? (uint16_t)parse_number(l, dash, 65535, "port") : range->lo;
    if (range->hi < range->lo) fail(l, "port range ends before it starts");
  }
}

static void filter_end(struct line* l, struct ip_prefix* prefix, struct port_range* ports, uint8_t* nports) {
  if (!take(l, "any") && !take(l, "assigned")) *prefix = parse_address(l, word(l, "address"));
  port_ranges(l, ports, nports);
}

static void filter_rest(struct line* l, struct sdf_filter* f) {
  while (!l->failed && peek(l)) {
    if (take(l, "spi")) {
      f->spi = (uint32_t)number(l, UINT32_MAX, "SPI");
      f->has_spi = true;
    } else if (take(l, "label")) {
      f->label = (uint32_t)number(l, 0xfffff, "flow label");
      f->has_label = true;
    } else if (take(l, "tos")) {
      const char* text = word(l, "TOS value/mask");
      unsigned value, mask;
      if (sscanf(text, "%i/%i", (int*)&value, (int*)&mask) != 2 || value > 255 || mask > 255)
        fail(l, "TOS value/mask expected, not '%s'", text);
      f->tos_mask = (uint8_t)mask;
      f->tos = (uint8_t)(value & mask);
      f->has_tos = true;
    } else
      fail(l, "unknown word '%s' in a filter", peek(l));
  }
}

static void filter_line(struct line* l, struct reader* rd) {
  struct rule_set* r = rd->rules;
  if (!rd->pdr || r->nfilters == MAX_FILTERS) {
    if (rd->pdr)
      fail(l, "more than %d filters in a rule set", MAX_FILTERS);
    else
      fail(l, "a filter must follow its PDR");
    return;
  }
  struct sdf_filter* f = &r->filters[r->nfilters++];
  rd->pdr->nfilters++;
  if (take(l, "deny"))
    f->deny = true;
  else if (!take(l, "permit"))
    fail(l, "'permit' or 'deny' expected");
  if (!take(l, "out")) fail(l, "'out' expected");
  if (take(l, "ip"))
    f->any_proto = true;
  else
    f->proto = (uint8_t)number(l, 255, "protocol number");
  if (!take(l, "from")) fail(l, "'from' expected");
  filter_end(l, &f->remote, f->remote_port, &f->nremote);
  if (!take(l, "to")) fail(l, "'to' expected");
  filter_end(l, &f->local, f->local_port, &f->nlocal);
  filter_rest(l, f);
}

static int by_precedence(const void* a, const void* b) {
  const struct pdr* x = a;
  const struct pdr* y = b;
  if (x->precedence != y->precedence) return x->precedence < y->precedence ? -1 : 1;
  return (int)x->id - (int)y->id;
}

static bool resolve_pdr(struct line* l, struct rule_set* r, struct pdr* p) {
  const struct pdr_refs* ref = &refs[p->far];
  unsigned i = 0;
  while (i < r->nfars && r->fars[i].id != ref->far)
    i++;
  if (i == r->nfars) return fail(l, "PDR %u names FAR %u, which the rule set lacks", p->id, ref->far);
  p->far = (uint8_t)i;
  for (unsigned q = 0; q < p->nqers; q++) {
    for (i = 0; i < r->nqers && r->qers[i].id != ref->qer[q]; i++) {
    }
    if (i == r->nqers) return fail(l, "PDR %u names QER %u, which the rule set lacks", p->id, ref->qer[q]);
    p->qer[q] = (uint8_t)i;
  }
  for (unsigned u = 0; u < p->nurrs; u++) {
    for (i = 0; i < r->nurrs && r->urrs[i].id != ref->urr[u]; i++) {
    }
    if (i == r->nurrs) return fail(l, "PDR %u names URR %u, which the rule set lacks", p->id, ref->urr[u]);
    p->urr[u] = (uint8_t)i;
  }
  return true;
}

static void end_line(struct line* l, struct reader* rd) {
  struct rule_set* r = rd->rules;
  for (unsigned i = 0; i < r->npdrs && resolve_pdr(l, r, &r->pdrs[i]); i++) {
  }
  qsort(r->pdrs, r->npdrs, sizeof r->pdrs[0], by_precedence);
  rd->rules = NULL;
  rd->pdr = NULL;
}

static struct rule_set* rules_find(struct config* c, const char* name) {
  for (uint32_t i = 0; i < c->nrules; i++)
    if (strcmp(c->rules[i]->name, name) == 0) return c->rules[i];
  return NULL;
}

static void rules_line(struct line* l, struct reader* rd) {
  struct config* c = rd->config;
  const char* name = word(l, "name of the rule set");
  if (strlen(name) >= sizeof rd->rules->name) fail(l, "name of the rule set is longer than 31 characters");
  if (rules_find(c, name)) fail(l, "rule set '%s' is defined twice", name);
  if (l->failed) return;
  struct rule_set** grown = realloc(c->rules, (c->nrules + 1) * sizeof *grown);
  if (!grown) {
    fail(l, "out of memory");
    return;
  }
  c->rules = grown;
  struct rule_set* r = calloc(1, sizeof *r);
  if (!r) {
    fail(l, "out of memory");
    return;
  }
  snprintf(r->name, sizeof r->name, "%s", name);
  c->rules[c->nrules++] = r;
  rd->rules = r;
}

static void session_words(struct line* l, struct config* c, struct session* s) {
  bool has_teid = false;
  while (!l->failed && peek(l)) {
    if (take(l, "seid"))
      s->seid = number(l, UINT64_MAX, "SEID");
    else if (take(l, "peer-teid"))
      s->peer_teid = (uint32_t)number(l, UINT32_MAX, "TEID");
    else if (take(l, "gnb"))
      s->gnb = address(l, 0, "gNB address");
    else if (take(l, "teid")) {
      s->teid = (uint32_t)number(l, UINT32_MAX, "TEID");
      has_teid = true;
    } else if (take(l, "ue4")) {
      memcpy(s->ue4, address(l, 4, "UE address").addr, 4);
      s->has_ue4 = true;
    } else if (take(l, "ue6")) {
      memcpy(s->ue6, address(l, 6, "UE prefix").addr, 8);
      s->has_ue6 = true;
    } else if (take(l, "rules")) {
      const char* name = word(l, "name of a rule set");
      s->rules = rules_find(c, name);
      if (!s->rules) fail(l, "no rule set '%s' before this line", name);
    } else
      fail(l, "unknown word '%s' in a session", peek(l));
  }
  if (!s->rules) fail(l, "a session needs 'rules'");
  if (!has_teid || s->gnb.family == 0) fail(l, "a session needs 'teid' and 'gnb'");
}

static void count_up(uint8_t* field, unsigned len) {
  while (len-- > 0 && ++field[len] == 0) {
  }
}

static void session_lines(struct line* l, struct config* c, bool many) {
  struct session s = {0};
  uint64_t count = many ? number(l, MAX_SESSIONS, "number of sessions") : 1;
  if (!many) s.seid = number(l, UINT64_MAX, "SEID");
  session_words(l, c, &s);
  if (l->failed) return;
  if (c->nsessions + count > MAX_SESSIONS) {
    fail(l, "more than %d sessions", MAX_SESSIONS);
    return;
  }
  if (c->nsessions + count > c->capacity) {
    uint32_t capacity = (uint32_t)(c->nsessions + count) * 2;
    struct session* grown = realloc(c->sessions, capacity * sizeof *grown);
    if (!grown) {
      fail(l, "out of memory");
      return;
    }
    c->sessions = grown;
    c->capacity = capacity;
  }
  for (uint64_t i = 0; i < count; i++) {
    s.index = c->nsessions;
    c->sessions[c->nsessions++] = s;
    s.seid++;
    s.teid++;
    s.peer_teid++;
    count_up(s.ue4, 4);
    count_up(s.ue6, 8);
  }
}

static void statement(struct line* l, struct reader* rd) {
  if (rd->rules) {
    if (take(l, "far"))
      far_line(l, rd->rules);
    else if (take(l, "qer"))
      qer_line(l, rd->rules);
    else if (take(l, "urr"))
      urr_line(l, rd->rules);
    else if (take(l, "pdr"))
      pdr_line(l, rd);
    else if (take(l, "filter"))
      filter_line(l, rd);
    else if (take(l, "end"))
      end_line(l, rd);
    else
      fail(l, "unknown statement '%s' in a rule set", peek(l));
    return;
  }
  if (take(l, "port"))
    port_line(l, rd->config);
  else if (take(l, "rules"))
    rules_line(l, rd);
  else if (take(l, "session"))
    session_lines(l, rd->config, false);
  else if (take(l, "sessions"))
    session_lines(l, rd->config, true);
  else
    fail(l, "unknown statement '%s'", peek(l));
}

// Gives each session its place in the state arrays, and enters it into the tables.
static bool finish(struct config* c, struct line* l) {
  size_t pdrs = 0, qers = 0, urrs = 0;
  for (uint32_t i = 0; i < c->nsessions; i++) {
    pdrs += c->sessions[i].rules->npdrs;
    qers += c->sessions[i].rules->nqers;
    urrs += c->sessions[i].rules->nurrs;
  }
  c->pdr_states = calloc(pdrs + 1, sizeof *c->pdr_states);
  c->qer_states = calloc(qers + 1, sizeof *c->qer_states);
  c->urr_states = calloc(urrs + 1, sizeof *c->urr_states);
  c->session_counters = calloc((size_t)c->nsessions + 1, sizeof *c->session_counters);
  c->table = session_table_create(c->nsessions);
  if (!c->pdr_states || !c->qer_states || !c->urr_states || !c->session_counters || !c->table)
    return fail(l, "out of memory");
  pdrs = qers = urrs = 0;
  for (uint32_t i = 0; i < c->nsessions; i++) {
    struct session* s = &c->sessions[i];
    s->pdr_state = c->pdr_states + pdrs;
    s->qer_state = c->qer_states + qers;
    s->urr_state = c->urr_states + urrs;
    s->counters = c->session_counters + i;
    pdrs += s->rules->npdrs;
    qers += s->rules->nqers;
    urrs += s->rules->nurrs;
    if (!session_table_add(c->table, s))
      return fail(l, "session %llu: TEID or UE address already used by another session",
                  (unsigned long long)s->seid);
  }
  return true;
}

static void port_defaults(struct config* c) {
  static const struct port_config n3 = {.mac = {2, 0, 0, 0, 3, 1},
                                        .peer_mac = {2, 0, 0, 0, 3, 2},
                                        .mtu = 1600,
                                        .ip4 = {192, 168, 100, 1},
                                        .ip6 = {0x20, 1, 0xd, 0xb8, 1, 0, [15] = 1}};
  static const struct port_config n6 = {.mac = {2, 0, 0, 0, 6, 1},
                                        .peer_mac = {2, 0, 0, 0, 6, 2},
                                        .mtu = 1500,
                                        .ip4 = {192, 168, 200, 1},
                                        .ip6 = {0x20, 1, 0xd, 0xb8, 2, 0, [15] = 1}};
  c->port[IF_ACCESS] = n3;
  c->port[IF_CORE] = n6;
}

struct config* config_parse(const char* name, char* text, char* err, size_t err_len) {
  struct config* c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(err, err_len, "%s: out of memory", name);
    return NULL;
  }
  port_defaults(c);
  struct reader rd = {.config = c};
  struct line l = {.file = name, .err = err, .err_len = err_len};
  for (char* at = text; at && *at && !l.failed;) {
    char* end = strchr(at, '\n');
    if (end) *end++ = 0;
    l.number++;
    split(&l, at);
    if (!l.failed && l.nwords > 0) statement(&l, &rd);
    if (!l.failed && l.at < l.nwords) fail(&l, "'%s' is one word too many", peek(&l));
    at = end;
  }
  if (!l.failed && rd.rules) fail(&l, "rule set '%s' lacks its 'end'", rd.rules->name);
  if (!l.failed) finish(c, &l);
  if (!l.failed) return c;
  config_free(c);
  return NULL;
}

struct config* config_load(const char* path, char* err, size_t err_len) {
  FILE* f = fopen(path, "rb");
  if (!f) {
    snprintf(err, err_len, "%s: %s", path, strerror(errno));
    return NULL;
  }
  size_t len = 0, capacity = 1 << 16;
  char* text = malloc(capacity);
  while (text) {
    len += fread(text + len, 1, capacity - len - 1, f);
    if (len + 1 < capacity) break;
    char* grown = realloc(text, capacity *= 2);
    if (!grown) free(text);
    text = grown;
  }
  bool bad = ferror(f) != 0;
  fclose(f);
  struct config* c = NULL;
  if (!text || bad)
    snprintf(err, err_len, "%s: cannot be read", path);
  else {
    text[len] = 0;
    c = config_parse(path, text, err, err_len);
  }
  free(text);
  return c;
}

void config_free(struct config* c) {
  if (!c) return;
  for (uint32_t i = 0; i < c->nrules; i++)
    free(c->rules[i]);
  free(c->rules);
  free(c->sessions);
  free(c->pdr_states);
  free(c->qer_states);
  free(c->urr_states);
  free(c->session_counters);
  session_table_free(c->table);
  free(c);
}
