// Three open-addressing tables with linear probing, at most half full, so that a lookup touches one cache
// line nearly always and a miss ends at the first free slot. Cuckoo hashing would bound the probes but costs
// two lines for every miss, and a miss is what an attack sends. Keys sit in the slots: a probe needs no
// look at the session.

#include "session_table.h"
#include "proto.h"
#include <stdlib.h>

static uint32_t mix32(uint32_t v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  v ^= v >> 16;
  return v;
}

static uint32_t mix64(uint64_t v) {
  v ^= v >> 32;
  v *= 0xd6e8feb86659fd93ull;
  v ^= v >> 32;
  v *= 0xd6e8feb86659fd93ull;
  v ^= v >> 32;
  return (uint32_t)v;
}

static uint64_t prefix_key(const uint8_t addr[16]) {
  return (uint64_t)load32(addr) << 32 | load32(addr + 4);
}

struct session_table* session_table_create(uint32_t sessions) {
  uint32_t size = 64;
  while (size < sessions * 2)
    size *= 2;
  struct session_table* table = calloc(1, sizeof *table);
  if (!table) return NULL;
  table->mask = size - 1;
  table->teid = calloc(size, sizeof *table->teid);
  table->ue4 = calloc(size, sizeof *table->ue4);
  table->ue6 = calloc(size, sizeof *table->ue6);
  if (table->teid && table->ue4 && table->ue6) return table;
  session_table_free(table);
  return NULL;
}

void session_table_free(struct session_table* table) {
  if (!table) return;
  free(table->teid);
  free(table->ue4);
  free(table->ue6);
  free(table);
}

static bool add_teid(struct session_table* t, struct session* s) {
  uint32_t at = mix32(s->teid) & t->mask;
  for (; t->teid[at].used; at = (at + 1) & t->mask)
    if (t->teid[at].teid == s->teid) return false;
  t->teid[at] = (struct teid_slot){.teid = s->teid, .used = 1, .session = s};
  return true;
}

static bool add_ue4(struct session_table* t, struct session* s) {
  uint32_t addr = load32(s->ue4);
  uint32_t at = mix32(addr) & t->mask;
  for (; t->ue4[at].used; at = (at + 1) & t->mask)
    if (t->ue4[at].addr == addr) return false;
  t->ue4[at] = (struct ue4_slot){.addr = addr, .used = 1, .session = s};
  return true;
}

static bool add_ue6(struct session_table* t, struct session* s) {
  uint64_t prefix = prefix_key(s->ue6);
  uint32_t at = mix64(prefix) & t->mask;
  for (; t->ue6[at].session; at = (at + 1) & t->mask)
    if (t->ue6[at].prefix == prefix) return false;
  t->ue6[at] = (struct ue6_slot){.prefix = prefix, .session = s};
  return true;
}

bool session_table_add(struct session_table* t, struct session* s) {
  if (!add_teid(t, s)) return false;
  if (s->has_ue4 && !add_ue4(t, s)) return false;
  return !s->has_ue6 || add_ue6(t, s);
}

struct session* session_by_teid(const struct session_table* t, uint32_t teid) {
  for (uint32_t at = mix32(teid) & t->mask; t->teid[at].used; at = (at + 1) & t->mask)
    if (t->teid[at].teid == teid) return t->teid[at].session;
  return NULL;
}

struct session* session_by_ue4(const struct session_table* t, const uint8_t addr[4]) {
  uint32_t key = load32(addr);
  for (uint32_t at = mix32(key) & t->mask; t->ue4[at].used; at = (at + 1) & t->mask)
    if (t->ue4[at].addr == key) return t->ue4[at].session;
  return NULL;
}

struct session* session_by_ue6(const struct session_table* t, const uint8_t addr[16]) {
  uint64_t prefix = prefix_key(addr);
  for (uint32_t at = mix64(prefix) & t->mask; t->ue6[at].session; at = (at + 1) & t->mask)
    if (t->ue6[at].prefix == prefix) return t->ue6[at].session;
  return NULL;
}
