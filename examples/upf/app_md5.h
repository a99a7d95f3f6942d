// MD5 (RFC 1321), for the JA3 fingerprint of a TLS client: a checksum here, not a protection.
#ifndef UPF_APP_MD5_H
#define UPF_APP_MD5_H

#include <stdint.h>

struct md5 {
  uint32_t state[4];
  uint64_t bytes;
  uint8_t block[64];
};

void md5_begin(struct md5* m);
void md5_add(struct md5* m, const void* data, uint32_t n);
void md5_decimal(struct md5* m, uint32_t value); // adds the number's decimal digits
void md5_end(struct md5* m, uint8_t digest[16]);

#endif
