// The Internet checksum is a one's-complement sum, so it may be taken in any word size and folded at the end:
// 32-bit words into a 64-bit accumulator, in the network's byte order so that callers can add header fields
// as numbers. Sixteen octets a turn keep the loop's overhead below its work.

#include "checksum.h"
#include "proto.h"

uint64_t checksum_add(uint64_t sum, const uint8_t* data, uint32_t len) {
  while (len >= 16) {
    uint32_t w[4];
    memcpy(w, data, sizeof w);
    sum += __builtin_bswap32(w[0]);
    sum += __builtin_bswap32(w[1]);
    sum += __builtin_bswap32(w[2]);
    sum += __builtin_bswap32(w[3]);
    data += 16;
    len -= 16;
  }
  while (len >= 4) {
    sum += load32(data);
    data += 4;
    len -= 4;
  }
  if (len >= 2) {
    sum += load16(data);
    data += 2;
    len -= 2;
  }
  if (len) sum += (uint64_t)data[0] << 8;
  return sum;
}

uint16_t checksum_finish(uint64_t sum) {
  sum = (sum & 0xffffffffu) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

uint16_t checksum(const uint8_t* data, uint32_t len) {
  return checksum_finish(checksum_add(0, data, len));
}

uint16_t checksum_update(uint16_t sum, uint16_t before, uint16_t after) {
  // RFC 1624, equation 3: HC' = ~(~HC + ~m + m').
  uint64_t s = (uint16_t)~sum;
  s += (uint16_t)~before;
  s += after;
  return checksum_finish(s);
}
