// CRC32c with slicing by four: four tables of 256 words, one word of input a turn. The tables are filled
// once at start and constant from then on.

#include "checksum.h"
#include <string.h>

static uint32_t table[4][256];

void crc32c_init(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++)
      crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
    table[0][i] = crc;
  }
  for (uint32_t i = 0; i < 256; i++)
    for (int t = 1; t < 4; t++)
      table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 0xff];
}

uint32_t crc32c(uint32_t crc, const uint8_t* data, uint32_t len) {
  for (; len >= 4; data += 4, len -= 4) {
    uint32_t word;
    memcpy(&word, data, sizeof word);
    crc ^= word;
    crc = table[3][crc & 0xff] ^ table[2][crc >> 8 & 0xff] ^ table[1][crc >> 16 & 0xff] ^ table[0][crc >> 24];
  }
  for (; len; data++, len--)
    crc = crc >> 8 ^ table[0][(crc ^ *data) & 0xff];
  return crc;
}
