// Named data networking: the table, and the look-up by hand.
#include "ndn.h"

#include "amac.h"
#include "coroutine.h"
#include "cuckoo_insert.h"
#include "memory.h"
#include "random.h"
#include "workload.h"

#include <bit>

using namespace lookup;

// From where two buckets have been looked at: names with another's tag are few, and not waited for in turn.
static inline uint32_t finish(const Ndn* table, const NdnBucket& bucket, unsigned matches,
                              const NdnName& name) {
  for (; matches; matches &= matches - 1) {
    const NdnEntry& entry = table->entries[bucket.entries[__builtin_ctz(matches)]];
    if (ndn_same(entry.name, name)) return entry.port;
  }
  return ndn_no_port;
}

// First buckets; second ones of those that have no tag there; entries. A tag that fits and a name that does not is settled in the last
// stage, with what that takes of waiting.
NDN(group) {
  constexpr int group = 64;
  const uint64_t mask = table->mask;
  for (int from = 0; from < n; from += group) {
    const int count = std::min(group, n - from);
    const NdnBucket* bucket[group];
    uint32_t tag[group];
    uint8_t matches[group], left[group];
    for (int i = 0; i < count; i++) {
      const uint64_t hash = ndn_hash(keys[from + i]);
      tag[i] = ndn_tag(hash);
      bucket[i] = &table->buckets[ndn_first(hash, mask)];
      prefetch(bucket[i]);
    }
    int others = 0;
    for (int i = 0; i < count; i++) {
      matches[i] = uint8_t(ndn_matches(*bucket[i], tag[i]));
      if (matches[i])
        prefetch(&table->entries[bucket[i]->entries[__builtin_ctz(matches[i])]]);
      else {
        bucket[i] = &table->buckets[ndn_other(uint64_t(bucket[i] - table->buckets), tag[i], mask)];
        prefetch(bucket[i]);
        left[others++] = uint8_t(i);
      }
    }
    for (int other = 0; other < others; other++) {
      const int i = left[other];
      matches[i] = uint8_t(ndn_matches(*bucket[i], tag[i]));
      if (matches[i]) prefetch(&table->entries[bucket[i]->entries[__builtin_ctz(matches[i])]]);
    }
    for (int i = 0; i < count; i++) {
      uint32_t port = finish(table, *bucket[i], matches[i], keys[from + i]);
      if (port == ndn_no_port) { // not in the bucket whose tag fitted: in the other, if anywhere
        const NdnBucket& second =
            table->buckets[ndn_other(uint64_t(bucket[i] - table->buckets), tag[i], mask)];
        port = finish(table, second, ndn_matches(second, tag[i]), keys[from + i]);
      }
      results[from + i] = port;
    }
  }
}

NDN(amac) {
  struct Machine {
    struct State {
      const NdnBucket* bucket;
      uint32_t tag;
      int i;
      uint8_t matches; // not yet compared; the lowest has been fetched
      bool second;
    };
    const Ndn* table;
    const NdnName* keys;
    uint32_t* results;

    void start(State& state, int i) const {
      const uint64_t hash = ndn_hash(keys[i]);
      state = {&table->buckets[ndn_first(hash, table->mask)], ndn_tag(hash), i, 0, false};
      prefetch(state.bucket);
    }
    const NdnEntry& entry(const State& state) const {
      return table->entries[state.bucket->entries[__builtin_ctz(state.matches)]];
    }
    bool step(State& state) const {
      if (state.matches) {
        const NdnEntry& found = entry(state);
        if (ndn_same(found.name, keys[state.i])) {
          results[state.i] = found.port;
          return true;
        }
        state.matches &= uint8_t(state.matches - 1);
      } else
        state.matches = uint8_t(ndn_matches(*state.bucket, state.tag));
      if (state.matches) {
        prefetch(&entry(state));
        return false;
      }
      if (state.second) {
        results[state.i] = ndn_no_port;
        return true;
      }
      state.second = true;
      state.bucket =
          &table->buckets[ndn_other(uint64_t(state.bucket - table->buckets), state.tag, table->mask)];
      prefetch(state.bucket);
      return false;
    }
  };
  run_amac<32>(Machine{table, keys, results}, n);
}

static Coroutine look_up(Slot&, const Ndn* table, const NdnName* name, uint32_t* result) {
  const uint64_t hash = ndn_hash(*name);
  const uint32_t tag = ndn_tag(hash);
  uint64_t at = ndn_first(hash, table->mask);
  for (int attempt = 0; attempt < 2; attempt++) {
    const NdnBucket* bucket = &table->buckets[at];
    co_await Prefetched(bucket);
    for (unsigned matches = ndn_matches(*bucket, tag); matches; matches &= matches - 1) {
      const NdnEntry* entry = &table->entries[bucket->entries[__builtin_ctz(matches)]];
      co_await Prefetched(entry);
      if (ndn_same(entry->name, *name)) {
        *result = entry->port;
        co_return;
      }
    }
    at = ndn_other(at, tag, table->mask);
  }
  *result = ndn_no_port;
}

NDN(coroutines) {
  run_coroutines<32>([=](Slot& slot, int i) { return look_up(slot, table, &keys[i], &results[i]); }, n);
}

namespace {

// What cuckoo_insert.h asks of a table.
struct Filling {
  NdnBucket* buckets;
  uint64_t mask;

  bool is_empty(uint64_t bucket, unsigned slot) const { return buckets[bucket].tags[slot] == 0; }
  uint64_t other(uint64_t bucket, unsigned slot) const {
    return ndn_other(bucket, buckets[bucket].tags[slot], mask);
  }
  void move(uint64_t from, unsigned slot, uint64_t to, unsigned to_slot) {
    buckets[to].tags[to_slot] = buckets[from].tags[slot];
    buckets[to].entries[to_slot] = buckets[from].entries[slot];
    buckets[from].tags[slot] = 0;
  }
};

class NdnWorkload final : public Workload {
public:
  NdnWorkload(const Setup& setup, uint64_t names)
      : names_(names), mask_(std::bit_ceil(uint64_t(double(names) / (8 * 0.9)) + 1) - 1),
        buckets_((mask_ + 1) * sizeof(NdnBucket), setup.huge), entries_(names * sizeof(NdnEntry), setup.huge),
        keys_(setup.keys) {
    table_ = {buckets_.as<NdnBucket>(), entries_.as<NdnEntry>(), mask_};
    const uint64_t count = fill();
    Draw draw(count, setup.zipf, 3);
    for (NdnName& key : keys_)
      key = name_of(draw.next());
    key_bytes = sizeof(NdnName);
    result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = buckets_.size() + entries_.size();
    regions = {{table_.buckets, buckets_.size()}, {table_.entries, entries_.size()}};
    variants = LOOKUP_VARIANTS(ndn);
  }
  const void* table() const override { return &table_; }
  const void* keys() const override { return keys_.data(); }

private:
  // /com/SITE/PAGE/PART, each a number in letters and digits.
  static NdnName name_of(uint64_t i) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    NdnName name = {"/com/"};
    uint64_t low = mix(i), high = mix(low + 1);
    for (int at = 5; at < 32; ++at) {
      uint64_t& bits = at < 15 ? low : high;
      name.text[at] = at == 14 || at == 23 ? '/' : letters[bits & 31];
      bits >>= 5;
      if (at == 23) high = mix(low ^ i);
    }
    return name;
  }

  // How many names there was room for.
  uint64_t fill() {
    Filling filling{buckets_.as<NdnBucket>(), mask_};
    for (uint64_t i = 0; i < names_; ++i) {
      NdnEntry& entry = entries_.as<NdnEntry>()[i];
      entry = {name_of(i), uint32_t(mix(i)) & 0xffff};
      const uint64_t hash = ndn_hash(entry.name), first = ndn_first(hash, mask_);
      const uint32_t tag = ndn_tag(hash);
      const int64_t slot = free_cuckoo_slot(filling, first, ndn_other(first, tag, mask_));
      if (slot < 0) return i;
      filling.buckets[slot / 8].tags[slot % 8] = tag;
      filling.buckets[slot / 8].entries[slot % 8] = uint32_t(i);
    }
    return names_;
  }

  const uint64_t names_, mask_;
  Pages buckets_, entries_;
  std::vector<NdnName> keys_;
  Ndn table_;
};

} // namespace

// Of `bytes` of entries.
std::unique_ptr<Workload> lookup::make_ndn(const Setup& setup) {
  constexpr uint64_t most_names = 10'000'000;
  if (setup.bytes > std::bit_ceil(most_names * sizeof(NdnEntry)))
    return nullptr; // the last size has them all
  return std::make_unique<NdnWorkload>(setup, std::min<uint64_t>(setup.bytes / sizeof(NdnEntry), most_names));
}
