// The shape of fuzzer inputs: a sequence of pieces, each behind a head of four bytes.
//
//   byte 0   flags, meaning by fuzzer
//   byte 1   a choice (port of parse_fuzzer, session of path_fuzzer)
//   2 and 3  length of the piece, low byte first, cut at the end of the input
#ifndef UPF_FUZZ_INPUTS_H
#define UPF_FUZZ_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct piece {
  uint8_t flags, choice;
  const uint8_t* data;
  uint32_t len;
};

static inline bool next_piece(const uint8_t** p, size_t* left, struct piece* out) {
  if (*left < 4) return false;
  uint32_t len = (*p)[2] | (uint32_t)(*p)[3] << 8;
  out->flags = (*p)[0];
  out->choice = (*p)[1];
  *p += 4;
  *left -= 4;
  if (len > *left) len = (uint32_t)*left;
  out->data = *p;
  out->len = len;
  *p += len;
  *left -= len;
  return true;
}

enum { PARSE_TCP = 1, PARSE_UPLINK = 2, PARSE_FROM_SERVER = 4 };
enum { PATH_UPLINK = 1, PATH_INNER = 2, PATH_FIX = 4 };

// Ports that parse_fuzzer chooses from; 0 is no one's.
static const uint16_t fuzz_ports[] = {40000, 20,   21,   22,   25,   53,   67,   69,   80,   110,  123,
                                      137,   139,  143,  161,  443,  445,  502,  1812, 1883, 1900, 2123,
                                      2152,  3389, 3478, 3868, 5060, 5349, 5353, 5683, 6881, 51820};
enum { FUZZ_PORTS = sizeof fuzz_ports / sizeof *fuzz_ports };

#endif
