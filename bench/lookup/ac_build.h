// Aho-Corasick automata from Snort's patterns (ac.h).
#pragma once

#include "memory.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lookup {

struct Automata {
  std::unique_ptr<Pages> rows;
  std::vector<uint32_t> starts; // each automaton's first state; empty: the patterns could not be read
};

// Of DATA/snort-dfa-patterns.txt: a line with the count, then `automaton length byte...` for each pattern. At most the first `most`.
Automata build_automata(const char* data, uint32_t most, bool huge);

} // namespace lookup
