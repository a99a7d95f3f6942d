// Pointer chasing as anybody writes it: for the processor, once and once more by Heddle, and for a GPU.
#pragma once

#include "chase.h"
#include "plain.h"

ANYWHERE static inline uint32_t look_up(const Chase* table, uint32_t key) {
  const uint32_t* next = table->next;
  uint32_t at = key;
  for (int hop = 0; hop < table->hops; hop++) {
    EXPENSIVE(&next[at]);
    at = next[at];
  }
  return at;
}
