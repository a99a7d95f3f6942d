// Pattern matching: each payload goes through one of 450 Aho-Corasick automata (G-Opt, section 5: Snort's patterns and its packet
// filtering stage). An automaton is a full matrix: a state is a row of 256 next states; one that ends a pattern has its highest bit
// set wherever a row names it.
#pragma once

#include <cstdint>

struct Ac {
  const uint32_t* rows; // 256 entries for each state of all automata
};
struct AcPayload {
  const uint8_t* bytes;
  uint32_t length, start; // start: the first state of the payload's automaton
};

constexpr uint32_t ac_ends_pattern = 1u << 31;

// What is kept of a match: which states, in which order.
inline uint32_t ac_note(uint32_t matches, uint32_t state) {
  return matches * 31 + (state & ~ac_ends_pattern);
}

#define AC(variant)                                                                                          \
  extern "C" void ac_##variant(const Ac* table, const AcPayload* keys, uint32_t* results, int n)
AC(baseline);
AC(heddle);
AC(group);
AC(amac);
AC(coroutines);
