// The Internet checksum (RFC 1071) and its incremental update (RFC 1624), and CRC32c (RFC 9260 appendix A).
#ifndef UPF_CHECKSUM_H
#define UPF_CHECKSUM_H

#include <stdbool.h>
#include <stdint.h>

// Adds len octets to a running sum. Every part but the last of a message must have an even length.
uint64_t checksum_add(uint64_t sum, const uint8_t* data, uint32_t len);
// Folds a sum into the checksum's 16 bits, complemented. 0 for data that includes a right checksum.
uint16_t checksum_finish(uint64_t sum);
uint16_t checksum(const uint8_t* data, uint32_t len);
// The checksum after a 16-bit word of the data changed from `before` to `after`.
uint16_t checksum_update(uint16_t sum, uint16_t before, uint16_t after);

uint32_t crc32c(uint32_t crc, const uint8_t* data, uint32_t len);
void crc32c_init(void);

#endif
