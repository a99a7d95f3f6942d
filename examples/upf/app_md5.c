#include "app_md5.h"

#include <string.h>

static inline uint32_t rotate(uint32_t v, uint32_t n) {
  return v << n | v >> (32 - n);
}

#define F(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define G(x, y, z) (((x) & (z)) | ((y) & ~(z)))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define STEP(f, a, b, c, d, k, s, t) ((a) = (b) + rotate((a) + f(b, c, d) + w[k] + (t), s))
#define FOUR(f, k0, k1, k2, k3, s0, s1, s2, s3, t0, t1, t2, t3)                                              \
  STEP(f, a, b, c, d, k0, s0, t0);                                                                           \
  STEP(f, d, a, b, c, k1, s1, t1);                                                                           \
  STEP(f, c, d, a, b, k2, s2, t2);                                                                           \
  STEP(f, b, c, d, a, k3, s3, t3)

static void md5_block(uint32_t state[4], const uint8_t block[64]) {
  uint32_t w[16], a = state[0], b = state[1], c = state[2], d = state[3];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[i * 4] | (uint32_t)block[i * 4 + 1] << 8 | (uint32_t)block[i * 4 + 2] << 16 |
           (uint32_t)block[i * 4 + 3] << 24;
  FOUR(F, 0, 1, 2, 3, 7, 12, 17, 22, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee);
  FOUR(F, 4, 5, 6, 7, 7, 12, 17, 22, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501);
  FOUR(F, 8, 9, 10, 11, 7, 12, 17, 22, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be);
  FOUR(F, 12, 13, 14, 15, 7, 12, 17, 22, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821);
  FOUR(G, 1, 6, 11, 0, 5, 9, 14, 20, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa);
  FOUR(G, 5, 10, 15, 4, 5, 9, 14, 20, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8);
  FOUR(G, 9, 14, 3, 8, 5, 9, 14, 20, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed);
  FOUR(G, 13, 2, 7, 12, 5, 9, 14, 20, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a);
  FOUR(H, 5, 8, 11, 14, 4, 11, 16, 23, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c);
  FOUR(H, 1, 4, 7, 10, 4, 11, 16, 23, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70);
  FOUR(H, 13, 0, 3, 6, 4, 11, 16, 23, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05);
  FOUR(H, 9, 12, 15, 2, 4, 11, 16, 23, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665);
  FOUR(I, 0, 7, 14, 5, 6, 10, 15, 21, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039);
  FOUR(I, 12, 3, 10, 1, 6, 10, 15, 21, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1);
  FOUR(I, 8, 15, 6, 13, 6, 10, 15, 21, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1);
  FOUR(I, 4, 11, 2, 9, 6, 10, 15, 21, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391);
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

void md5_begin(struct md5* m) {
  m->state[0] = 0x67452301;
  m->state[1] = 0xefcdab89;
  m->state[2] = 0x98badcfe;
  m->state[3] = 0x10325476;
  m->bytes = 0;
}

void md5_add(struct md5* m, const void* data, uint32_t n) {
  const uint8_t* p = data;
  while (n) {
    uint32_t at = (uint32_t)(m->bytes & 63);
    uint32_t part = 64 - at < n ? 64 - at : n;
    memcpy(m->block + at, p, part);
    m->bytes += part;
    p += part;
    n -= part;
    if (at + part == 64) md5_block(m->state, m->block);
  }
}

void md5_decimal(struct md5* m, uint32_t value) {
  char digits[10];
  uint32_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  md5_add(m, digits + at, (uint32_t)sizeof digits - at);
}

void md5_end(struct md5* m, uint8_t digest[16]) {
  static const uint8_t padding[64] = {0x80};
  uint64_t bits = m->bytes * 8;
  uint8_t length[8];
  for (int i = 0; i < 8; i++)
    length[i] = (uint8_t)(bits >> (8 * i));
  uint32_t at = (uint32_t)(m->bytes & 63);
  md5_add(m, padding, at < 56 ? 56 - at : 120 - at);
  md5_add(m, length, 8);
  for (int i = 0; i < 16; i++)
    digest[i] = (uint8_t)(m->state[i / 4] >> (8 * (i % 4)));
}
