// IPv6 forwarding with the trie of examples/forward: the look-up by hand, and what compression brings.
#include "trie6.h"

#include "amac.h"
#include "coroutine.h"
#include "lpm6_table.h"
#include "workload.h"

using namespace lookup;

namespace {

// A look-up between two steps: the entry by which it came, and where that leads.
struct Walk {
  const void* place;
  uint32_t entry;
  unsigned at;
};

inline Walk begin(const lpm6* table, const Lpm6Address& address) {
  return {lpm6_first(table, address.bytes), LPM6_IS_NODE, LPM6_FIRST_BYTES};
}

// Whether that was the last, with *result set.
inline bool step(const lpm6* table, const Lpm6Address& address, Walk& walk, uint32_t* result) {
  walk.entry = lpm6_next(walk.place, walk.entry, address.bytes, &walk.at);
  *result = walk.entry - 1;
  if (walk.entry < LPM6_IS_NODE) return true;
  walk.place = lpm6_place(table, walk.entry, address.bytes, &walk.at);
  return false;
}

} // namespace

// A step of all look-ups after the other; those that end are taken out, so the list gets shorter and stays in order.
TRIE6(group) {
  constexpr int group = 64;
  for (int from = 0; from < n; from += group) {
    const int count = std::min(group, n - from);
    Walk walk[group];
    uint8_t left[group];
    for (int i = 0; i < count; i++) {
      walk[i] = begin(table, keys[from + i]);
      prefetch(walk[i].place);
      left[i] = uint8_t(i);
    }
    for (int live = count; live > 0;) {
      int still = 0;
      for (int at = 0; at < live; at++) {
        const int i = left[at];
        if (step(table, keys[from + i], walk[i], &results[from + i])) continue;
        prefetch(walk[i].place);
        left[still++] = uint8_t(i);
      }
      live = still;
    }
  }
}

TRIE6(amac) {
  struct Machine {
    struct State {
      Walk walk;
      int i;
    };
    const lpm6* table;
    const Lpm6Address* keys;
    uint32_t* results;

    void start(State& state, int i) const {
      state = {begin(table, keys[i]), i};
      prefetch(state.walk.place);
    }
    bool step(State& state) const {
      if (::step(table, keys[state.i], state.walk, &results[state.i])) return true;
      prefetch(state.walk.place);
      return false;
    }
  };
  run_amac<32>(Machine{table, keys, results}, n);
}

static Coroutine look_up(Slot&, const lpm6* table, const Lpm6Address* address, uint32_t* result) {
  Walk walk = begin(table, *address);
  do
    co_await Prefetched(walk.place);
  while (!step(table, *address, walk, result));
}

TRIE6(coroutines) {
  run_coroutines<32>([=](Slot& slot, int i) { return look_up(slot, table, &keys[i], &results[i]); }, n);
}

namespace {

class Trie6Workload final : public Workload {
public:
  Trie6Workload(const Setup& setup, const std::vector<Prefix6>& prefixes, const lpm6& built)
      : table_(built, setup.huge), keys_(addresses_in(prefixes, setup)) {
    key_bytes = sizeof(Lpm6Address);
    result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = table_.bytes();
    variants = LOOKUP_VARIANTS(trie6);
  }
  const void* table() const override { return table_.get(); }
  const void* keys() const override { return keys_.data(); }

private:
  Trie6Table table_;
  std::vector<Lpm6Address> keys_;
};

std::unique_ptr<Workload> make(const Setup& setup, bool compressed) {
  const std::vector<Prefix6> prefixes = random_prefixes(setup.small ? 2000 : 200000);
  lpm6* built = build_trie6(prefixes, compressed);
  if (!built) return nullptr;
  auto workload = std::make_unique<Trie6Workload>(setup, prefixes, *built);
  lpm6_free(built);
  return workload;
}

} // namespace

std::unique_ptr<Workload> lookup::make_trie6(const Setup& setup) {
  return make(setup, false);
}

std::unique_ptr<Workload> lookup::make_trie6_compressed(const Setup& setup) {
  return make(setup, true);
}
