// IPv4 forwarding: the table, and the look-up by hand. One in a hundred has a second load, for which nobody waits aside.
#include "lpm4.h"

#include "amac.h"
#include "coroutine.h"
#include "dpdk.h"
#include "memory.h"
#include "random.h"
#include "workload.h"

#include <cstdio>
#include <cstring>

using namespace lookup;

static inline uint32_t finish(const rte_lpm* table, uint32_t address) {
  uint32_t hop = 0;
  return rte_lpm_lookup(table, address, &hop) == 0 ? hop : lpm4_no_route;
}

LPM4(group) {
  constexpr int group = 64;
  for (int from = 0; from < n; from += group) {
    const int to = std::min(n, from + group);
    for (int i = from; i < to; i++)
      prefetch(&table->tbl24[keys[i] >> 8]);
    for (int i = from; i < to; i++)
      results[i] = finish(table, keys[i]);
  }
}

LPM4(amac) {
  struct Machine {
    struct State {
      uint32_t address;
      int i;
    };
    const rte_lpm* table;
    const uint32_t* keys;
    uint32_t* results;

    void start(State& state, int i) const {
      state = {keys[i], i};
      prefetch(&table->tbl24[state.address >> 8]);
    }
    bool step(State& state) const {
      results[state.i] = finish(table, state.address);
      return true;
    }
  };
  run_amac<32>(Machine{table, keys, results}, n);
}

static Coroutine look_up(Slot&, const rte_lpm* table, uint32_t address, uint32_t* result) {
  co_await Prefetched(&table->tbl24[address >> 8]);
  *result = finish(table, address);
}

LPM4(coroutines) {
  run_coroutines<32>([=](Slot& slot, int i) { return look_up(slot, table, keys[i], &results[i]); }, n);
}

namespace {

// How many prefixes of each length there are. To 24 bits: the sums over address classes in app/test/test_lpm_perf.c of DPDK 22.11,
// which were counted in a real router's table; longer ones, by the same proportions, make the hundredth that G-Opt states.
constexpr uint32_t prefixes_of[33] = {0,     0,     0,     1,     0,     3,     2,      4,     200,
                                      37,    55,    97,    381,   775,   2104,  3712,   69319, 12983,
                                      23667, 69068, 62354, 48531, 72355, 85427, 583898, 663,   1412,
                                      1617,  1782,  3234,  1500,  3,     245};

struct Prefix {
  uint32_t address;
  uint8_t length;
};

std::vector<Prefix> prefixes(uint32_t wanted) {
  uint64_t all = 0;
  for (uint32_t count : prefixes_of)
    all += count;
  Random random(6);
  std::vector<Prefix> result;
  for (uint8_t length = 3; length <= 32; ++length)
    for (uint64_t left = (prefixes_of[length] * uint64_t(wanted) + all / 2) / all; left > 0; --left)
      result.push_back({uint32_t(random.below(uint64_t(224) << 24)) & ~uint32_t(0) << (32 - length), length});
  return result;
}

class Lpm4Workload final : public Workload {
public:
  explicit Lpm4Workload(const Setup& setup, const rte_lpm& built, const std::vector<Prefix>& prefixes,
                        size_t tbl8_entries)
      : pages_(sizeof(rte_lpm) + tbl8_entries * sizeof(rte_lpm_tbl_entry), setup.huge), keys_(setup.keys) {
    rte_lpm* copy = pages_.as<rte_lpm>();
    auto* tbl8 = reinterpret_cast<rte_lpm_tbl_entry*>(copy + 1);
    std::memcpy(copy->tbl24, built.tbl24, sizeof built.tbl24);
    std::memcpy(tbl8, built.tbl8, tbl8_entries * sizeof *tbl8);
    copy->tbl8 = tbl8;
    // Any address, as in G-Opt; or one within a prefix that is popular.
    Random random(7);
    Draw draw(prefixes.size(), true, 8);
    for (uint32_t& key : keys_) {
      key = uint32_t(random.next());
      if (!setup.zipf) continue;
      const Prefix& prefix = prefixes[draw.next()];
      key = prefix.address | (key & uint32_t(~(~uint64_t(0) << (32 - prefix.length))));
    }
    key_bytes = result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = pages_.size();
    regions = {{copy->tbl24, sizeof copy->tbl24}, {tbl8, tbl8_entries * sizeof *tbl8}};
    variants = LOOKUP_VARIANTS(lpm4);
  }
  const void* table() const override { return pages_.as<rte_lpm>(); }
  const void* keys() const override { return keys_.data(); }

private:
  Pages pages_;
  std::vector<uint32_t> keys_;
};

} // namespace

std::unique_ptr<Workload> lookup::make_lpm4(const Setup& setup) {
  if (!start_dpdk()) return nullptr;
  const std::vector<Prefix> all = prefixes(setup.small ? 2000 : 527961);
  rte_lpm_config config = {};
  config.max_rules = uint32_t(all.size());
  config.number_tbl8s = setup.small ? 256 : 8192;
  static rte_lpm* built = nullptr; // by an earlier call: DPDK takes seconds to add the prefixes
  if (!built) {
    built = rte_lpm_create("lookup", -1, &config);
    for (uint32_t i = 0; built && i < all.size(); ++i)
      if (rte_lpm_add(built, all[i].address, all[i].length, i) < 0) {
        std::printf("SKIP: lpm4: DPDK refuses prefix %u\n", i);
        return nullptr;
      }
    if (!built) {
      std::printf("SKIP: lpm4: DPDK has no memory for the table\n");
      return nullptr;
    }
  }
  return std::make_unique<Lpm4Workload>(setup, *built, all,
                                        size_t(config.number_tbl8s) * RTE_LPM_TBL8_GROUP_NUM_ENTRIES);
}
