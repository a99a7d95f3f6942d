// Aho and Corasick's construction (CACM 18(6), 1975): a trie of the patterns, then, breadth first, each state's missing transitions
// from the state of its longest proper suffix. What ends there as well makes the state one that ends a pattern.
#include "ac_build.h"

#include "ac.h"

#include <cstdio>

namespace lookup {

namespace {

struct Pattern {
  uint32_t automaton;
  std::vector<uint8_t> bytes;
};

std::vector<Pattern> read_patterns(const char* data, uint32_t most) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/snort-dfa-patterns.txt", data);
  std::vector<Pattern> result;
  std::FILE* file = std::fopen(path, "r");
  if (!file) return result;
  unsigned count = 0, automaton = 0, length = 0;
  if (std::fscanf(file, "%u", &count) != 1) count = 0;
  while (count-- > 0 && std::fscanf(file, "%u %u", &automaton, &length) == 2) {
    Pattern pattern{automaton, {}};
    for (unsigned byte = 0; length > 0 && std::fscanf(file, "%u", &byte) == 1; --length)
      pattern.bytes.push_back(uint8_t(byte));
    if (automaton < most) result.push_back(std::move(pattern));
  }
  std::fclose(file);
  return result;
}

class Builder {
public:
  Builder(uint32_t* rows) : rows_(rows) {}

  // Rows of zeros: while this is a trie, 0 is no state, as the first automaton's start is nowhere's child.
  uint32_t new_state() { return states_++; }
  uint32_t states() const { return states_; }

  void add(uint32_t start, const std::vector<uint8_t>& pattern) {
    uint32_t state = start;
    for (uint8_t byte : pattern) {
      uint32_t& next = row(state)[byte];
      if (next == 0) next = new_state();
      state = next & ~ac_ends_pattern;
    }
    if (ends_.size() < states_) ends_.resize(states_);
    ends_[state] = true;
  }

  void finish(uint32_t start) {
    ends_.resize(states_);
    std::vector<uint32_t> queue, suffix(states_ - start);
    for (int byte = 0; byte < 256; ++byte) {
      uint32_t& next = row(start)[byte];
      if (next) {
        suffix[next - start] = start;
        queue.push_back(next);
      } else
        next = start;
    }
    for (size_t at = 0; at < queue.size(); ++at) {
      const uint32_t state = queue[at], shorter = suffix[state - start];
      if (ends_[shorter]) ends_[state] = true;
      for (int byte = 0; byte < 256; ++byte) {
        uint32_t& next = row(state)[byte];
        if (next) {
          suffix[next - start] = row(shorter)[byte];
          queue.push_back(next);
        } else
          next = row(shorter)[byte];
      }
    }
    for (uint64_t entry = uint64_t(start) * 256; entry < uint64_t(states_) * 256; ++entry)
      if (ends_[rows_[entry]]) rows_[entry] |= ac_ends_pattern;
  }

private:
  uint32_t* row(uint32_t state) { return rows_ + uint64_t(state) * 256; }

  uint32_t* rows_;
  uint32_t states_ = 0;
  std::vector<bool> ends_;
};

} // namespace

Automata build_automata(const char* data, uint32_t most, bool huge) {
  Automata result;
  const std::vector<Pattern> patterns = read_patterns(data, most);
  if (patterns.empty()) return result;
  uint32_t automata = 0;
  uint64_t most_states = 0;
  for (const Pattern& pattern : patterns) {
    automata = std::max(automata, pattern.automaton + 1);
    most_states += pattern.bytes.size();
  }
  most_states += automata;
  std::vector<std::vector<const Pattern*>> of(automata);
  for (const Pattern& pattern : patterns)
    of[pattern.automaton].push_back(&pattern);
  result.rows = std::make_unique<Pages>(most_states * 1024, huge);
  Builder builder(result.rows->as<uint32_t>());
  for (const auto& list : of) {
    result.starts.push_back(builder.new_state());
    for (const Pattern* pattern : list)
      builder.add(result.starts.back(), pattern->bytes);
    builder.finish(result.starts.back());
  }
  return result;
}

} // namespace lookup
