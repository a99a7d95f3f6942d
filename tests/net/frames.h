// What capture_server.c and xsk_server.c make of a request in an Ethernet frame: an answer that depends on all of it, and a
// count per key.
#pragma once

#include <stdint.h>
#include <string.h>

enum { HEAD = 14, REQUEST = 0x88B5, ANSWER = 0x88B6, KEYS = 8 };

static struct {
  uint32_t requests, bytes;
} keys[KEYS];

static uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

__attribute__((noinline)) static uint32_t digest_of(const uint8_t* data, uint32_t size) {
  uint32_t digest = 0;
  for (uint32_t i = HEAD; i < size; i++)
    digest = mix(digest + data[i]);
  return digest;
}

__attribute__((noinline)) static void make_answer(uint8_t* to, const uint8_t* data, uint32_t size,
                                                  uint32_t digest) {
  memcpy(to, data + 6, 6);
  memcpy(to + 6, data, 6);
  to[12] = ANSWER >> 8;
  to[13] = ANSWER & 0xff;
  uint32_t x = digest;
  for (uint32_t i = HEAD; i < size; i++)
    to[i] = data[i] ^ (uint8_t)(x = mix(x + i));
}

__attribute__((noinline)) static void account(uint32_t key, uint32_t size) {
  keys[key % KEYS].requests++;
  keys[key % KEYS].bytes += size;
}
