// Pointer chasing: H[i] = L[H[i]], `hops` times, with a random permutation L (G-Opt, sections 2.5 and 3.3). Nothing but memory.
#pragma once

#include "anywhere.h"

#include <cstdint>

struct Chase {
  const uint32_t* next;
  int hops;
};

#define CHASE(variant)                                                                                       \
  extern "C" void chase_##variant(const Chase* table, const uint32_t* keys, uint32_t* results, int n)
CHASE(baseline);
CHASE(heddle);
CHASE(group);
CHASE(amac);
CHASE(coroutines);
