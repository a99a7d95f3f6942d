// Pattern matching: the traversal by hand. ac_build.cpp makes the automata, payloads.cpp reads the packets.
#include "ac.h"

#include "ac_build.h"
#include "amac.h"
#include "coroutine.h"
#include "payloads.h"
#include "random.h"
#include "workload.h"

#include <cstdio>

using namespace lookup;

static inline const uint32_t* next_of(const uint32_t* rows, uint32_t state, uint8_t byte) {
  return &rows[(state & ~ac_ends_pattern) * uint64_t(256) + byte];
}

// Loop interchange: all payloads of a group take a byte before any takes the next one (G-Opt, section 5). Those at their end are
// taken out.
AC(group) {
  constexpr int group = 32;
  const uint32_t* const rows = table->rows;
  for (int from = 0; from < n; from += group) {
    struct {
      const uint8_t *at, *end;
      uint32_t state, matches;
      int i;
    } walks[group];
    int live = 0;
    for (int i = from; i < std::min(n, from + group); i++) {
      results[i] = 0;
      if (keys[i].length)
        walks[live++] = {keys[i].bytes, keys[i].bytes + keys[i].length, keys[i].start, 0, i};
    }
    while (live > 0) {
      // No payload ends within so many bytes.
      long steps = walks[0].end - walks[0].at;
      for (int i = 1; i < live; i++)
        steps = std::min<long>(steps, walks[i].end - walks[i].at);
      for (long step = 0; step < steps; step++)
        for (int i = 0; i < live; i++) {
          auto& walk = walks[i];
          const uint32_t state = *next_of(rows, walk.state, *walk.at++);
          if (state & ac_ends_pattern) walk.matches = ac_note(walk.matches, state);
          walk.state = state;
        }
      for (int i = live - 1; i >= 0; i--)
        if (walks[i].at == walks[i].end) {
          results[walks[i].i] = walks[i].matches;
          walks[i] = walks[--live];
        }
    }
  }
}

AC(amac) {
  struct Machine {
    struct State {
      const uint32_t* next;
      const uint8_t *at, *end;
      uint32_t matches;
      int i;
    };
    const Ac* table;
    const AcPayload* keys;
    uint32_t* results;

    void start(State& state, int i) const {
      const AcPayload& key = keys[i];
      state = {nullptr, key.bytes, key.bytes + key.length, 0, i};
      if (key.length == 0) return;
      state.next = next_of(table->rows, key.start, *state.at++);
      prefetch(state.next);
    }
    bool step(State& state) const {
      if (state.next) {
        const uint32_t reached = *state.next;
        if (reached & ac_ends_pattern) state.matches = ac_note(state.matches, reached);
        if (state.at != state.end) {
          state.next = next_of(table->rows, reached, *state.at++);
          prefetch(state.next);
          return false;
        }
      }
      results[state.i] = state.matches;
      return true;
    }
  };
  run_amac<16>(Machine{table, keys, results}, n);
}

static Coroutine look_up(Slot&, const Ac* table, const AcPayload* key, uint32_t* result) {
  const uint32_t* const rows = table->rows;
  const uint8_t *at = key->bytes, *end = at + key->length;
  uint32_t state = key->start, matches = 0;
  if (at == end) co_await std::suspend_always{};
  while (at != end) {
    const uint32_t* next = next_of(rows, state, *at++);
    co_await Prefetched(next);
    state = *next;
    if (state & ac_ends_pattern) matches = ac_note(matches, state);
  }
  *result = matches;
}

AC(coroutines) {
  run_coroutines<16>([=](Slot& slot, int i) { return look_up(slot, table, &keys[i], &results[i]); }, n);
}

namespace {

class AcWorkload final : public Workload {
public:
  AcWorkload(const Setup& setup, Automata automata, Payloads payloads)
      : automata_(std::move(automata)), payloads_(std::move(payloads)) {
    table_ = {automata_.rows->as<uint32_t>()};
    // Which automaton: Snort chooses by the packet's header, this by a hash of its ports and protocol. By Zipf's law: packets repeat.
    Draw draw(payloads_.list.size(), setup.zipf, 9);
    const size_t count = std::min(setup.keys, payloads_.list.size());
    for (size_t i = 0; i < count; ++i) {
      const Payload& payload = payloads_.list[setup.zipf ? draw.next() : i];
      keys_.push_back(
          {payload.bytes, payload.length, automata_.starts[mix(payload.header) % automata_.starts.size()]});
    }
    key_bytes = sizeof(AcPayload);
    result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = automata_.rows->size();
    uneven = true;
    variants = LOOKUP_VARIANTS(ac);
  }
  const void* table() const override { return &table_; }
  const void* keys() const override { return keys_.data(); }

private:
  Automata automata_;
  Payloads payloads_;
  std::vector<AcPayload> keys_;
  Ac table_;
};

} // namespace

std::unique_ptr<Workload> lookup::make_ac(const Setup& setup) {
  Automata automata = build_automata(setup.data, setup.small ? 8 : 450, setup.huge);
  Payloads payloads = read_payloads(setup.data);
  if (automata.starts.empty() || payloads.list.empty()) {
    std::printf("SKIP: ac: no snort-dfa-patterns.txt and traffic-mix.pcap in %s\n", setup.data);
    return nullptr;
  }
  return std::make_unique<AcWorkload>(setup, std::move(automata), std::move(payloads));
}
