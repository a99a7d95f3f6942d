// IPv6 forwarding with the trie of examples/forward/lpm6.h, compressed or not: one function for both.
#pragma once

#include "prefixes6.h"

#include "forward/lpm6.h"

#define TRIE6(variant)                                                                                       \
  extern "C" void trie6_##variant(const lpm6* table, const Lpm6Address* keys, uint32_t* results, int n)
TRIE6(baseline);
TRIE6(heddle);
TRIE6(group);
TRIE6(amac);
TRIE6(coroutines);
