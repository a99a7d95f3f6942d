// IPv6 forwarding: the table, and the look-up by hand. A step is DPDK's lookup_step.
#define EXPENSIVE(pointer) ((void)0)
#include "lpm6.h"

#include "amac.h"
#include "coroutine.h"
#include "lpm6_table.h"
#include "prefixes6.h"
#include "workload.h"

using namespace lookup;

static inline const rte_lpm6_tbl_entry* first_entry(const rte_lpm6* table, const Lpm6Address& address) {
  return &table->tbl24[address.bytes[0] << 16 | address.bytes[1] << 8 | address.bytes[2]];
}

// A step of all look-ups after the other; those that end are taken out, so the list gets shorter and stays in order.
LPM6(group) {
  constexpr int group = 64;
  for (int from = 0; from < n; from += group) {
    const int count = std::min(group, n - from);
    const rte_lpm6_tbl_entry* entry[group];
    uint8_t left[group];
    for (int i = 0; i < count; i++) {
      entry[i] = first_entry(table, keys[from + i]);
      prefetch(entry[i]);
      left[i] = uint8_t(i);
    }
    uint8_t byte = LOOKUP_FIRST_BYTE;
    for (int live = count; live > 0; byte++) {
      int still = 0;
      for (int at = 0; at < live; at++) {
        const int i = left[at];
        uint32_t hop = 0;
        const int status = lookup_step(table, entry[i], &entry[i], keys[from + i].bytes, byte, &hop);
        if (status == 1) {
          prefetch(entry[i]);
          left[still++] = uint8_t(i);
        } else
          results[from + i] = status == 0 ? hop : lpm6_no_route;
      }
      live = still;
    }
  }
}

LPM6(amac) {
  struct Machine {
    struct State {
      const rte_lpm6_tbl_entry* entry;
      int i;
      uint8_t byte;
    };
    const rte_lpm6* table;
    const Lpm6Address* keys;
    uint32_t* results;

    void start(State& state, int i) const {
      state = {first_entry(table, keys[i]), i, LOOKUP_FIRST_BYTE};
      prefetch(state.entry);
    }
    bool step(State& state) const {
      uint32_t hop = 0;
      const int status =
          lookup_step(table, state.entry, &state.entry, keys[state.i].bytes, state.byte++, &hop);
      if (status == 1) {
        prefetch(state.entry);
        return false;
      }
      results[state.i] = status == 0 ? hop : lpm6_no_route;
      return true;
    }
  };
  run_amac<32>(Machine{table, keys, results}, n);
}

static Coroutine look_up(Slot&, const rte_lpm6* table, const Lpm6Address* address, uint32_t* result) {
  const rte_lpm6_tbl_entry* entry = first_entry(table, *address);
  for (uint8_t byte = LOOKUP_FIRST_BYTE;; byte++) {
    co_await Prefetched(entry);
    const rte_lpm6_tbl_entry* next = nullptr;
    uint32_t hop = 0;
    const int status = lookup_step(table, entry, &next, address->bytes, byte, &hop);
    if (status != 1) {
      *result = status == 0 ? hop : lpm6_no_route;
      co_return;
    }
    entry = next;
  }
}

LPM6(coroutines) {
  run_coroutines<32>([=](Slot& slot, int i) { return look_up(slot, table, &keys[i], &results[i]); }, n);
}

namespace {

class Lpm6Workload final : public Workload {
public:
  Lpm6Workload(const Setup& setup, const std::vector<Prefix6>& prefixes, const rte_lpm6& built)
      : table_(built, setup.huge), keys_(addresses_in(prefixes, setup)) {
    key_bytes = sizeof(Lpm6Address);
    result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = table_.bytes();
    const rte_lpm6* copy = table_.get();
    regions = {{copy->tbl24, sizeof copy->tbl24}, {copy->tbl8, table_.bytes() - sizeof *copy}};
    variants = LOOKUP_VARIANTS(lpm6);
  }
  const void* table() const override { return table_.get(); }
  const void* keys() const override { return keys_.data(); }

private:
  Lpm6Table table_;
  std::vector<Lpm6Address> keys_;
};

std::unique_ptr<Workload> make(const Setup& setup, const std::vector<Prefix6>& prefixes) {
  rte_lpm6* built = build_lpm6(prefixes);
  if (!built) return nullptr;
  auto workload = std::make_unique<Lpm6Workload>(setup, prefixes, *built);
  rte_lpm6_free(built);
  return workload;
}

} // namespace

std::unique_ptr<Workload> lookup::make_lpm6(const Setup& setup) {
  return make(setup, random_prefixes(setup.small ? 2000 : 200000));
}

std::unique_ptr<Workload> lookup::make_lpm6_real(const Setup& setup) {
  return make(setup, real_prefixes(setup));
}
