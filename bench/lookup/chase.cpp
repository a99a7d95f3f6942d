// Pointer chasing: the table, and the look-up by hand.
#include "chase.h"

#include "amac.h"
#include "coroutine.h"
#include "memory.h"
#include "random.h"
#include "workload.h"

#include <bit>

using namespace lookup;

// One stage per hop: all chains take the hop that was fetched for them in the stage before (G-Opt, Figure 6).
CHASE(group) {
  constexpr int group = 64;
  const uint32_t* const next = table->next;
  const int hops = table->hops;
  for (int from = 0; from < n; from += group) {
    uint32_t at[group];
    const int count = std::min(group, n - from);
    for (int i = 0; i < count; i++) {
      at[i] = keys[from + i];
      prefetch(&next[at[i]]);
    }
    for (int hop = 1; hop < hops; hop++)
      for (int i = 0; i < count; i++) {
        at[i] = next[at[i]];
        prefetch(&next[at[i]]);
      }
    for (int i = 0; i < count; i++)
      results[from + i] = hops > 0 ? next[at[i]] : at[i];
  }
}

CHASE(amac) {
  struct Machine {
    struct State {
      uint32_t at;
      int left, i;
    };
    const uint32_t *next, *keys;
    uint32_t* results;
    int hops;

    void start(State& state, int i) const {
      state = {keys[i], hops, i};
      prefetch(&next[state.at]);
    }
    bool step(State& state) const {
      state.at = next[state.at];
      if (--state.left <= 0) {
        results[state.i] = state.at;
        return true;
      }
      prefetch(&next[state.at]);
      return false;
    }
  };
  run_amac<32>(Machine{table->next, keys, results, table->hops}, n);
}

static Coroutine look_up(Slot&, const Chase* table, uint32_t key, uint32_t* result) {
  const uint32_t* const next = table->next;
  uint32_t at = key;
  for (int hop = 0; hop < table->hops; hop++) {
    co_await Prefetched(&next[at]);
    at = next[at];
  }
  *result = at;
}

CHASE(coroutines) {
  run_coroutines<32>([=](Slot& slot, int i) { return look_up(slot, table, keys[i], &results[i]); }, n);
}

namespace {

class ChaseWorkload final : public Workload {
public:
  explicit ChaseWorkload(const Setup& setup) : pages_(setup.bytes, setup.huge), keys_(setup.keys) {
    const uint64_t count = setup.bytes / sizeof(uint32_t);
    const Permutation permutation(std::bit_width(count) - 1);
    uint32_t* next = pages_.as<uint32_t>();
    for (uint64_t i = 0; i < count; ++i)
      next[i] = uint32_t(permutation(i));
    Draw draw(count, setup.zipf, 1);
    for (uint32_t& key : keys_)
      key = uint32_t(draw.next());
    table_ = {next, setup.hops};
    key_bytes = result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = setup.bytes;
    regions = {{next, setup.bytes}};
    variants = LOOKUP_VARIANTS(chase);
  }
  const void* table() const override { return &table_; }
  const void* keys() const override { return keys_.data(); }

private:
  Pages pages_;
  std::vector<uint32_t> keys_;
  Chase table_;
};

} // namespace

std::unique_ptr<Workload> lookup::make_chase(const Setup& setup) {
  return std::make_unique<ChaseWorkload>(setup);
}
