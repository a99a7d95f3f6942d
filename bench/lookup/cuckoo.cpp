// Cuckoo hashing: the table, and the look-up by hand.
#include "cuckoo.h"

#include "amac.h"
#include "coroutine.h"
#include "cuckoo_insert.h"
#include "memory.h"
#include "random.h"
#include "workload.h"

using namespace lookup;

// Three stages; the third is for those keys alone that are not in their first bucket.
CUCKOO(group) {
  constexpr int group = 64;
  const CuckooBucket* const buckets = table->buckets;
  const uint64_t mask = table->mask;
  for (int from = 0; from < n; from += group) {
    const int count = std::min(group, n - from);
    uint64_t hash[group];
    uint8_t left[group];
    for (int i = 0; i < count; i++) {
      hash[i] = cuckoo_hash(keys[from + i]);
      prefetch(&buckets[cuckoo_first(hash[i], mask)]);
    }
    int others = 0;
    for (int i = 0; i < count; i++) {
      const CuckooBucket& bucket = buckets[cuckoo_first(hash[i], mask)];
      const unsigned matches = cuckoo_matches(bucket, keys[from + i]);
      if (matches) {
        results[from + i] = bucket.values[__builtin_ctz(matches)];
        continue;
      }
      prefetch(&buckets[cuckoo_second(hash[i], mask)]);
      left[others++] = uint8_t(i);
    }
    for (int other = 0; other < others; other++) {
      const int i = left[other];
      const CuckooBucket& bucket = buckets[cuckoo_second(hash[i], mask)];
      const unsigned matches = cuckoo_matches(bucket, keys[from + i]);
      results[from + i] = matches ? bucket.values[__builtin_ctz(matches)] : 0;
    }
  }
}

CUCKOO(amac) {
  struct Machine {
    struct State {
      const CuckooBucket *bucket, *second; // second: null once it is the one looked at
      uint32_t key;
      int i;
    };
    const Cuckoo* table;
    const uint32_t* keys;
    uint32_t* results;

    void start(State& state, int i) const {
      const uint64_t hash = cuckoo_hash(keys[i]);
      state = {&table->buckets[cuckoo_first(hash, table->mask)],
               &table->buckets[cuckoo_second(hash, table->mask)], keys[i], i};
      prefetch(state.bucket);
    }
    bool step(State& state) const {
      const unsigned matches = cuckoo_matches(*state.bucket, state.key);
      if (matches || !state.second) {
        results[state.i] = matches ? state.bucket->values[__builtin_ctz(matches)] : 0;
        return true;
      }
      state.bucket = state.second;
      state.second = nullptr;
      prefetch(state.bucket);
      return false;
    }
  };
  run_amac<32>(Machine{table, keys, results}, n);
}

static Coroutine look_up(Slot&, const Cuckoo* table, uint32_t key, uint32_t* result) {
  const uint64_t hash = cuckoo_hash(key);
  const CuckooBucket* bucket = &table->buckets[cuckoo_first(hash, table->mask)];
  co_await Prefetched(bucket);
  unsigned matches = cuckoo_matches(*bucket, key);
  if (matches == 0) {
    bucket = &table->buckets[cuckoo_second(hash, table->mask)];
    co_await Prefetched(bucket);
    matches = cuckoo_matches(*bucket, key);
  }
  *result = matches ? bucket->values[__builtin_ctz(matches)] : 0;
}

CUCKOO(coroutines) {
  run_coroutines<32>([=](Slot& slot, int i) { return look_up(slot, table, keys[i], &results[i]); }, n);
}

namespace {

// What cuckoo_insert.h asks of a table.
struct Filling {
  CuckooBucket* buckets;
  uint64_t mask;

  bool is_empty(uint64_t bucket, unsigned slot) const { return buckets[bucket].keys[slot] == 0; }
  uint64_t other(uint64_t bucket, unsigned slot) const {
    const uint64_t hash = cuckoo_hash(buckets[bucket].keys[slot]), first = cuckoo_first(hash, mask);
    return first == bucket ? cuckoo_second(hash, mask) : first;
  }
  void move(uint64_t from, unsigned slot, uint64_t to, unsigned to_slot) {
    buckets[to].keys[to_slot] = buckets[from].keys[slot];
    buckets[to].values[to_slot] = buckets[from].values[slot];
    buckets[from].keys[slot] = 0;
  }
};

class CuckooWorkload final : public Workload {
public:
  explicit CuckooWorkload(const Setup& setup) : pages_(setup.bytes, setup.huge), keys_(setup.keys) {
    const uint64_t buckets = setup.bytes / sizeof(CuckooBucket);
    table_ = {pages_.as<CuckooBucket>(), buckets - 1};
    const uint64_t count = fill(uint64_t(double(buckets * 8) * 0.9));
    Draw draw(count, setup.zipf, 2);
    for (uint32_t& key : keys_)
      key = key_of(draw.next());
    key_bytes = result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = setup.bytes;
    regions = {{table_.buckets, setup.bytes}};
    variants = LOOKUP_VARIANTS(cuckoo);
  }
  const void* table() const override { return &table_; }
  const void* keys() const override { return keys_.data(); }

private:
  // Distinct, and not 0: a bijection of i + 1 that keeps 0.
  static uint32_t key_of(uint64_t i) {
    uint32_t key = uint32_t(i + 1);
    key = (key ^ (key >> 16)) * 0x7feb352du;
    key = (key ^ (key >> 15)) * 0x846ca68bu;
    return key ^ (key >> 16);
  }

  // How many keys there was room for.
  uint64_t fill(uint64_t wanted) {
    Filling filling{pages_.as<CuckooBucket>(), table_.mask};
    for (uint64_t i = 0; i < wanted; ++i) {
      const uint32_t key = key_of(i);
      const uint64_t hash = cuckoo_hash(key);
      const int64_t slot =
          free_cuckoo_slot(filling, cuckoo_first(hash, table_.mask), cuckoo_second(hash, table_.mask));
      if (slot < 0) return i;
      filling.buckets[slot / 8].keys[slot % 8] = key;
      filling.buckets[slot / 8].values[slot % 8] = uint32_t(mix(i)) | 1;
    }
    return wanted;
  }

  Pages pages_;
  std::vector<uint32_t> keys_;
  Cuckoo table_;
};

} // namespace

std::unique_ptr<Workload> lookup::make_cuckoo(const Setup& setup) {
  return std::make_unique<CuckooWorkload>(setup);
}
