// Numbers in network byte order.
#ifndef FORWARD_BYTES_H
#define FORWARD_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t read16(const uint8_t* p) {
  uint16_t v;
  memcpy(&v, p, sizeof v);
  return __builtin_bswap16(v);
}

static inline uint32_t read32(const uint8_t* p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return __builtin_bswap32(v);
}

static inline void write16(uint8_t* p, uint16_t v) {
  v = __builtin_bswap16(v);
  memcpy(p, &v, sizeof v);
}

static inline void write32(uint8_t* p, uint32_t v) {
  v = __builtin_bswap32(v);
  memcpy(p, &v, sizeof v);
}

#endif
