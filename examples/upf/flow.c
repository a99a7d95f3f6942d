// What is remembered about flows: the application, its host name, the state of TCP connections; and what
// flows announce about others: names that DNS resolved, ports that SIP and FTP agreed on.
//
// Both tables are set-associative with the oldest entry of a set replaced, so an attack can push entries out
// but never grow a table or lengthen a lookup. A flow that loses its entry is detected again.

#include "meter.h"
#include "phases.h"
#include <stdlib.h>

enum { MAX_SCALE = 14 };
enum { FLOW_SETS = 16384, FLOW_WAYS = 4, NAME_SETS = 8192, NAME_WAYS = 4, NAME_MAX_LEN = 64 };

static const uint64_t tcp_idle = 3600ull * NS_PER_S, other_idle = 180ull * NS_PER_S,
                      closed_idle = 20ull * NS_PER_S;

struct flow_key {
  uint8_t remote[16];
  uint8_t ue_low[8]; // interface identifier of an IPv6 UE, else zero
  uint32_t session;
  uint16_t remote_port, ue_port;
  uint8_t proto, version;
  uint8_t pad[6];
};

enum tcp_phase { TCP_NONE = 0, TCP_OPENING, TCP_OPEN, TCP_CLOSING, TCP_CLOSED };

// One direction of a TCP connection, after van Rooij's "Real stateful TCP packet filtering": what has been
// sent, and how far the other end allows to send.
struct tcp_side {
  uint32_t end;    // highest sequence number sent, plus one
  uint32_t limit;  // highest that the receiver's window allowed
  uint32_t window; // largest window announced by this side
  uint8_t scale;
  bool seen, fin;
};

struct flow {
  struct flow_key key;
  uint64_t expires; // 0: free
  struct app_flow app;
  struct meter meter;
  struct tcp_side tcp[2];
  uint8_t phase; // enum tcp_phase
  uint8_t expected;
  uint8_t host_len;
  char host[NAME_MAX_LEN];
};

struct flow_table {
  struct flow set[FLOW_SETS][FLOW_WAYS];
};

struct name_key {
  uint8_t addr[16];
  uint16_t port;
  uint8_t proto, is_v6;
};

struct name {
  struct name_key key;
  uint8_t app, host_len;
  uint64_t expires; // 0: free
  char host[NAME_MAX_LEN];
};

struct name_table {
  struct name set[NAME_SETS][NAME_WAYS];
};

struct flow_table* flow_table_create(void) {
  return calloc(1, sizeof(struct flow_table));
}
struct name_table* name_table_create(void) {
  return calloc(1, sizeof(struct name_table));
}

static uint32_t hash_words(const void* key, unsigned bytes) {
  const uint8_t* p = key;
  uint64_t h = 0x9e3779b97f4a7c15ull;
  for (unsigned i = 0; i + 4 <= bytes; i += 4) {
    uint32_t word;
    memcpy(&word, p + i, sizeof word);
    h = (h ^ word) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  return (uint32_t)h;
}

static void make_key(const struct pkt_ctx* c, struct flow_key* key) {
  const struct ip_view* ip = &c->ip;
  bool up = c->dir == UPLINK;
  memset(key, 0, sizeof *key);
  memcpy(key->remote, up ? ip->dst : ip->src, 16);
  if (ip->version == 6) memcpy(key->ue_low, (up ? ip->src : ip->dst) + 8, 8);
  key->session = c->session->index;
  key->proto = ip->proto;
  key->version = ip->version;
  if (ip->has_ports) {
    key->remote_port = up ? ip->dport : ip->sport;
    key->ue_port = up ? ip->sport : ip->dport;
  } else if (ip->has_spi) {
    key->remote_port = (uint16_t)(ip->spi >> 16);
    key->ue_port = (uint16_t)ip->spi;
  }
}

static struct name* name_find(struct name_table* names, const struct name_key* key, uint64_t now) {
  struct name* set = names->set[hash_words(key, sizeof *key) % NAME_SETS];
  for (unsigned i = 0; i < NAME_WAYS; i++)
    if (set[i].expires > now && memcmp(&set[i].key, key, sizeof *key) == 0) return &set[i];
  return NULL;
}

static void name_learn(struct name_table* names, const struct app_addr* a, const struct app_info* info,
                       uint64_t now) {
  struct name_key key = {.port = a->port, .proto = a->proto, .is_v6 = a->is_v6};
  memcpy(key.addr, a->addr, a->is_v6 ? 16 : 4);
  struct name* set = names->set[hash_words(&key, sizeof key) % NAME_SETS];
  struct name* slot = &set[0];
  for (unsigned i = 0; i < NAME_WAYS; i++) {
    if (memcmp(&set[i].key, &key, sizeof key) == 0) {
      slot = &set[i];
      break;
    }
    if (set[i].expires < slot->expires) slot = &set[i];
  }
  uint64_t ttl = a->ttl < 10 ? 10 : a->ttl > 86400 ? 86400 : a->ttl;
  uint32_t len = info->host_len > NAME_MAX_LEN ? NAME_MAX_LEN : info->host_len;
  slot->key = key;
  slot->app = a->app;
  slot->expires = now + ttl * NS_PER_S;
  slot->host_len = (uint8_t)len;
  memcpy(slot->host, info->host + info->host_len - len, len);
}

// A new flow starts with what others announced about its ends.
static void flow_prime(struct flow* f, struct name_table* names, const struct pkt_ctx* c) {
  const struct ip_view* ip = &c->ip;
  const uint8_t* end[2] = {ip->src, ip->dst};
  uint16_t port[2] = {ip->sport, ip->dport};
  for (unsigned i = 0; i < 2; i++) {
    struct name_key key = {.port = port[i], .proto = ip->proto, .is_v6 = ip->version == 6};
    memcpy(key.addr, end[i], 16);
    const struct name* n = port[i] ? name_find(names, &key, c->now) : NULL;
    if (n && n->app != APP_UNKNOWN) {
      f->expected = n->app;
      f->app.app = n->app;
      f->app.confidence = APP_CONF_STRONG;
    }
  }
  struct name_key key = {.is_v6 = ip->version == 6};
  memcpy(key.addr, f->key.remote, 16);
  const struct name* n = name_find(names, &key, c->now);
  if (n) {
    f->host_len = n->host_len;
    memcpy(f->host, n->host, n->host_len);
  }
}

static struct flow* flow_get(struct flow_table* flows, struct name_table* names, const struct pkt_ctx* c) {
  struct flow_key key;
  make_key(c, &key);
  struct flow* set = flows->set[hash_words(&key, sizeof key) % FLOW_SETS];
  struct flow* slot = &set[0];
  for (unsigned i = 0; i < FLOW_WAYS; i++) {
    if (set[i].expires > c->now && memcmp(&set[i].key, &key, sizeof key) == 0) return &set[i];
    if (set[i].expires < slot->expires) slot = &set[i];
  }
  memset(slot, 0, sizeof *slot);
  slot->key = key;
  flow_prime(slot, names, c);
  return slot;
}

static bool after(uint32_t a, uint32_t b) {
  return (int32_t)(a - b) > 0;
}

static void tcp_open_side(struct tcp_side* side, const struct ip_view* ip, uint32_t end) {
  side->seen = true;
  side->end = end;
  side->scale = ip->tcp_has_wscale ? ip->tcp_wscale : 0;
  side->window = ip->tcp_window;
}

static void tcp_sequence(struct flow* f, struct pkt_ctx* c, uint32_t end) {
  const struct ip_view* ip = &c->ip;
  struct tcp_side* from = &f->tcp[c->dir];
  struct tcp_side* to = &f->tcp[!c->dir];
  uint32_t window = (uint32_t)ip->tcp_window << ((ip->tcp_flags & 2) ? 0 : from->scale);
  if (window > from->window) from->window = window;
  if (!after(end, from->end) && ip->payload_len > 0) c->flow.notices |= NOTE_TCP_RETRANSMIT;
  if (to->seen && from->limit != 0 && after(end, from->limit)) c->flow.notices |= NOTE_TCP_OUT_OF_WINDOW;
  if (after(end, from->end)) from->end = end;
  if (ip->tcp_flags & 16) {
    // An acknowledgement of what was never sent, or of what is far behind.
    if (to->seen && after(ip->tcp_ack, to->end)) c->flow.notices |= NOTE_TCP_OUT_OF_WINDOW;
    uint32_t limit = ip->tcp_ack + (window ? window : 1);
    if (to->limit == 0 || after(limit, to->limit)) to->limit = limit;
  }
}

static void tcp_track(struct flow* f, struct pkt_ctx* c) {
  const struct ip_view* ip = &c->ip;
  bool fin = ip->tcp_flags & 1, syn = ip->tcp_flags & 2, rst = ip->tcp_flags & 4, ack = ip->tcp_flags & 16;
  uint32_t end = ip->tcp_seq + ip->payload_len + syn + fin;
  struct tcp_side* from = &f->tcp[c->dir];
  if (rst) {
    f->phase = TCP_CLOSED;
    return;
  }
  if (syn && (!from->seen || f->phase >= TCP_CLOSING)) { // ports may be used again
    if (!ack) memset(f->tcp, 0, sizeof f->tcp);
    tcp_open_side(from, ip, end);
    f->phase = TCP_OPENING;
  } else if (!from->seen) {
    tcp_open_side(from, ip, end);
    from->scale = MAX_SCALE; // joined in the middle: whatever was agreed on, it was no more
  }
  tcp_sequence(f, c, end);
  if (f->phase == TCP_OPENING && ack && !syn) f->phase = TCP_OPEN;
  if (f->phase == TCP_NONE && ack) f->phase = TCP_OPEN;
  if (fin) {
    from->fin = true;
    f->phase = f->tcp[0].fin && f->tcp[1].fin ? TCP_CLOSED : TCP_CLOSING;
  }
}

static void flow_keep(struct flow* f, const struct pkt_ctx* c) {
  uint64_t idle = other_idle;
  if (c->ip.proto == PROTO_TCP) idle = f->phase == TCP_CLOSED ? closed_idle : tcp_idle;
  f->expires = c->now + idle;
}

static void host_learn(struct flow* f, const struct app_info* info) {
  uint32_t len = info->host_len > NAME_MAX_LEN ? NAME_MAX_LEN : info->host_len;
  f->host_len = (uint8_t)len;
  memcpy(f->host, info->host + info->host_len - len, len);
}

void flow_track(struct flow_table* flows, struct name_table* names, struct pkt_ctx* c,
                const struct app_info* info, struct features* features) {
  struct flow* f = flow_get(flows, names, c);
  uint8_t before = f->app.app;
  if (c->ip.proto == PROTO_TCP && c->ip.payload_off != c->ip.l4_off) tcp_track(f, c);
  if (info) {
    app_flow_update(&f->app, info, c->dir == UPLINK);
    if (info->host_len > 0 && info->confidence >= APP_CONF_STRONG) host_learn(f, info);
    if (info->malformed) c->flow.notices |= NOTE_APP_MALFORMED;
    for (unsigned i = 0; i < info->naddr && i < APP_ADDR_MAX; i++)
      name_learn(names, &info->addr[i], info, c->now);
  }
  meter_packet(&f->meter, c, features);
  flow_keep(f, c);
  c->flow.app = f->app.app;
  c->flow.fresh_app = f->app.app != before;
  c->flow.host_len = f->host_len;
  memcpy(c->flow.host, f->host, sizeof c->flow.host);
  c->notices |= c->flow.notices;
}
