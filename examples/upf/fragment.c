// Ports for fragments that do not carry them. The first fragment of a packet leaves its ports in a small
// set-associative table under (addresses, protocol, identification); later ones look them up. Packets are not
// reassembled: a UPF forwards fragments, it only has to classify them like their first one (TS 29.244
// section 5.2.1A names the 5-tuple). Later fragments that overtake their first one match as port-less.

#include "phases.h"
#include <stdlib.h>

enum { SETS = 2048, WAYS = 4 };

static const uint64_t lifetime = 30ull * NS_PER_S; // RFC 1122's reassembly time, rounded down

struct fragment_key {
  uint8_t src[16], dst[16];
  uint32_t id;
  uint8_t proto, version;
  uint8_t pad[2];
};

struct fragment_entry {
  struct fragment_key key;
  uint64_t expires; // 0: free
  uint16_t sport, dport;
};

struct fragment_table {
  struct fragment_entry set[SETS][WAYS];
};

struct fragment_table* fragment_table_create(void) {
  return calloc(1, sizeof(struct fragment_table));
}

static uint32_t hash_key(const struct fragment_key* key) {
  uint32_t words[sizeof *key / 4];
  memcpy(words, key, sizeof words);
  uint32_t h = 0x9e3779b9u;
  for (unsigned i = 0; i < sizeof *key / 4; i++) {
    h ^= words[i];
    h *= 0x85ebca6bu;
    h ^= h >> 15;
  }
  return h;
}

static void insert(struct fragment_entry* set, const struct fragment_key* key, const struct pkt_ctx* c) {
  struct fragment_entry* slot = &set[0];
  for (unsigned i = 0; i < WAYS; i++) {
    if (set[i].expires && memcmp(&set[i].key, key, sizeof *key) == 0) {
      slot = &set[i];
      break;
    }
    if (set[i].expires < slot->expires) slot = &set[i]; // free slots count as the oldest
  }
  slot->key = *key;
  slot->expires = c->now + lifetime;
  slot->sport = c->ip.sport;
  slot->dport = c->ip.dport;
}

static void find(const struct fragment_entry* set, const struct fragment_key* key, struct pkt_ctx* c) {
  for (unsigned i = 0; i < WAYS; i++) {
    if (set[i].expires <= c->now || memcmp(&set[i].key, key, sizeof *key) != 0) continue;
    c->ip.sport = set[i].sport;
    c->ip.dport = set[i].dport;
    c->ip.has_ports = true;
    return;
  }
  c->notices |= NOTE_FRAGMENT_UNKNOWN;
}

void fragment_track(struct fragment_table* table, struct pkt_ctx* c) {
  struct ip_view* ip = &c->ip;
  if (!ip->fragment) return;
  struct fragment_key key = {.id = ip->fragment_id, .proto = ip->proto, .version = ip->version};
  // IPv6 later fragments name the first header behind the fragment header, which need not be the transport.
  if (ip->version == 6) key.proto = 0;
  memcpy(key.src, ip->src, 16);
  memcpy(key.dst, ip->dst, 16);
  struct fragment_entry* set = table->set[hash_key(&key) % SETS];
  if (!ip->first_fragment)
    find(set, &key, c);
  else if (ip->has_ports)
    insert(set, &key, c);
}
