// The part of an NDN packet that a forwarder reads (NDN packet format 0.3): an Interest's name and its hop limit. A type and a length
// are numbers of one octet, or of three where the first is 253.
#ifndef FORWARD_NDN_H
#define FORWARD_NDN_H

#include "bytes.h"
#include <stdbool.h>

enum {
  NDN_INTEREST = 0x05,
  NDN_NAME = 0x07,
  NDN_COMPONENT = 0x08,
  NDN_HOP_LIMIT = 0x22,
  NDN_NONCE = 0x0a,
  NDN_LONG = 253, // the first octet of a number of three
};

// A piece of a packet that is yet to be read.
struct piece {
  const uint8_t* at;
  const uint8_t* end;
};

static inline bool ndn_number(struct piece* p, unsigned* number) {
  if (p->at == p->end) return false;
  *number = *p->at++;
  if (*number < NDN_LONG) return true;
  if (*number > NDN_LONG || p->end - p->at < 2) return false;
  *number = read16(p->at);
  p->at += 2;
  return true;
}

// The next element; `p` goes on behind it.
static inline bool ndn_element(struct piece* p, unsigned* type, struct piece* value) {
  unsigned length;
  if (!ndn_number(p, type) || !ndn_number(p, &length) || p->end - p->at < (long)length) return false;
  *value = (struct piece){p->at, p->at + length};
  p->at += length;
  return true;
}

#endif
