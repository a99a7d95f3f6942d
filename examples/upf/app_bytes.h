// Reading a payload that may end anywhere and say anything.
//
// A cursor never leaves [data, data + len): a read past the end gives zero and makes the cursor bad, and a
// bad cursor stays bad. A parser can so read a whole fixed header and ask once, at the end, whether it was
// there. Lengths that come from the packet go through cur_sub, which cuts a cursor of exactly that many
// bytes; what lies inside can then not run into what follows.
#ifndef UPF_APP_BYTES_H
#define UPF_APP_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cur {
  const uint8_t* data;
  uint32_t len;
  uint32_t pos;
  bool bad;
};

static inline struct cur cur_of(const uint8_t* data, uint32_t len) {
  struct cur c = {data, len, 0, false};
  return c;
}

static inline uint32_t cur_left(const struct cur* c) {
  return c->bad ? 0 : c->len - c->pos;
}

static inline bool cur_need(struct cur* c, uint32_t n) {
  if (c->bad || c->len - c->pos < n) {
    c->bad = true;
    return false;
  }
  return true;
}

static inline uint8_t cur_u8(struct cur* c) {
  return cur_need(c, 1) ? c->data[c->pos++] : 0;
}

static inline uint16_t get_u16(const uint8_t* p) {
  return (uint16_t)(p[0] << 8 | p[1]);
}
static inline uint32_t get_u24(const uint8_t* p) {
  return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}
static inline uint32_t get_u32(const uint8_t* p) {
  return (uint32_t)get_u16(p) << 16 | get_u16(p + 2);
}
static inline uint16_t get_le16(const uint8_t* p) {
  return (uint16_t)(p[1] << 8 | p[0]);
}
static inline uint32_t get_le32(const uint8_t* p) {
  return (uint32_t)get_le16(p + 2) << 16 | get_le16(p);
}

static inline uint16_t cur_u16(struct cur* c) {
  if (!cur_need(c, 2)) return 0;
  c->pos += 2;
  return get_u16(c->data + c->pos - 2);
}

static inline uint32_t cur_u24(struct cur* c) {
  if (!cur_need(c, 3)) return 0;
  c->pos += 3;
  return get_u24(c->data + c->pos - 3);
}

static inline uint32_t cur_u32(struct cur* c) {
  if (!cur_need(c, 4)) return 0;
  c->pos += 4;
  return get_u32(c->data + c->pos - 4);
}

static inline bool cur_skip(struct cur* c, uint32_t n) {
  if (!cur_need(c, n)) return false;
  c->pos += n;
  return true;
}

// The next n bytes; a null pointer, and a bad cursor, if there are fewer.
static inline const uint8_t* cur_take(struct cur* c, uint32_t n) {
  if (!cur_need(c, n)) return NULL;
  c->pos += n;
  return c->data + c->pos - n;
}

// A cursor over the next n bytes, which are then behind *c. Bad if there are fewer.
static inline struct cur cur_sub(struct cur* c, uint32_t n) {
  const uint8_t* p = cur_take(c, n);
  struct cur s = {p, p ? n : 0, 0, p == NULL};
  return s;
}

// As cur_sub, but content with what is there: for structures that continue in the next segment.
static inline struct cur cur_sub_most(struct cur* c, uint32_t n) {
  uint32_t left = cur_left(c);
  return cur_sub(c, n < left ? n : left);
}

static inline bool in_range(uint32_t v, uint32_t low, uint32_t high) {
  return v >= low && v <= high;
}

#endif
