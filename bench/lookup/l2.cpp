// A layer-2 switch: the table, and the look-up by hand. Both addresses of a packet are fetched at once.
#include "l2.h"

#include "amac.h"
#include "coroutine.h"
#include "cuckoo_insert.h"
#include "memory.h"
#include "random.h"
#include "workload.h"

using namespace lookup;

// Both addresses of all packets are one list.
L2_(group) {
  constexpr int packets = 32, group = 2 * packets;
  const L2Bucket* const buckets = table->buckets;
  const uint64_t mask = table->mask;
  for (int from = 0; from < n; from += packets) {
    const int count = 2 * std::min(packets, n - from);
    uint64_t address[group], hash[group];
    uint16_t port[group];
    uint8_t left[group];
    for (int i = 0; i < count; i += 2) {
      address[i] = l2_address(keys[from + i / 2].source);
      address[i + 1] = l2_address(keys[from + i / 2].destination);
    }
    for (int i = 0; i < count; i++) {
      hash[i] = l2_hash(address[i]);
      prefetch(&buckets[l2_first(hash[i], mask)]);
    }
    int others = 0;
    for (int i = 0; i < count; i++) {
      const L2Bucket& bucket = buckets[l2_first(hash[i], mask)];
      const unsigned matches = l2_matches(bucket, address[i]);
      port[i] = l2_port(bucket, matches);
      if (matches) continue;
      prefetch(&buckets[l2_second(hash[i], mask)]);
      left[others++] = uint8_t(i);
    }
    for (int other = 0; other < others; other++) {
      const int i = left[other];
      const L2Bucket& bucket = buckets[l2_second(hash[i], mask)];
      port[i] = l2_port(bucket, l2_matches(bucket, address[i]));
    }
    for (int i = 0; i < count; i += 2)
      results[from + i / 2] = l2_result(port[i + 1], port[i]);
  }
}

L2_(amac) {
  // A look-up is one address; a packet has two, and each writes its half of the result.
  struct Machine {
    struct State {
      const L2Bucket *bucket, *second; // second: null once it is the one looked at
      uint64_t address;
      uint16_t* result;
    };
    const L2* table;
    const L2Packet* keys;
    uint16_t* results;

    void start(State& state, int i) const {
      const L2Packet& packet = keys[i / 2];
      const uint64_t address = l2_address(i & 1 ? packet.source : packet.destination),
                     hash = l2_hash(address);
      state = {&table->buckets[l2_first(hash, table->mask)], &table->buckets[l2_second(hash, table->mask)],
               address, &results[i]};
      prefetch(state.bucket);
    }
    bool step(State& state) const {
      const unsigned matches = l2_matches(*state.bucket, state.address);
      if (matches || !state.second) {
        *state.result = l2_port(*state.bucket, matches);
        return true;
      }
      state.bucket = state.second;
      state.second = nullptr;
      prefetch(state.bucket);
      return false;
    }
  };
  // Little endian: the lower half, the destination's, comes first.
  run_amac<32>(Machine{table, keys, reinterpret_cast<uint16_t*>(results)}, 2 * n);
}

static Coroutine look_up(Slot&, const L2* table, const L2Packet* packet, uint32_t* result) {
  const uint64_t source = l2_address(packet->source), destination = l2_address(packet->destination);
  const uint64_t source_hash = l2_hash(source), hash = l2_hash(destination);
  const L2Bucket* from = &table->buckets[l2_first(source_hash, table->mask)];
  const L2Bucket* to = &table->buckets[l2_first(hash, table->mask)];
  prefetch(from);
  co_await Prefetched(to);
  unsigned from_matches = l2_matches(*from, source), to_matches = l2_matches(*to, destination);
  if (from_matches == 0 || to_matches == 0) {
    if (from_matches == 0) prefetch(from = &table->buckets[l2_second(source_hash, table->mask)]);
    if (to_matches == 0) prefetch(to = &table->buckets[l2_second(hash, table->mask)]);
    co_await std::suspend_always{};
    from_matches = l2_matches(*from, source);
    to_matches = l2_matches(*to, destination);
  }
  *result = l2_result(l2_port(*to, to_matches), l2_port(*from, from_matches));
}

L2_(coroutines) {
  run_coroutines<32>([=](Slot& slot, int i) { return look_up(slot, table, &keys[i], &results[i]); }, n);
}

namespace {

// What cuckoo_insert.h asks of a table.
struct Filling {
  L2Bucket* buckets;
  uint64_t mask;

  bool is_empty(uint64_t bucket, unsigned slot) const { return buckets[bucket].slots[slot] == 0; }
  uint64_t other(uint64_t bucket, unsigned slot) const {
    const uint64_t hash = l2_hash(buckets[bucket].slots[slot] >> 16), first = l2_first(hash, mask);
    return first == bucket ? l2_second(hash, mask) : first;
  }
  void move(uint64_t from, unsigned slot, uint64_t to, unsigned to_slot) {
    buckets[to].slots[to_slot] = buckets[from].slots[slot];
    buckets[from].slots[slot] = 0;
  }
};

class L2Workload final : public Workload {
public:
  L2Workload(const Setup& setup, uint64_t addresses) : pages_(setup.bytes, setup.huge), keys_(setup.keys) {
    table_ = {pages_.as<L2Bucket>(), setup.bytes / sizeof(L2Bucket) - 1};
    const uint64_t count = fill(addresses);
    Draw destinations(count, setup.zipf, 4), sources(count, setup.zipf, 5);
    for (L2Packet& key : keys_) {
      put(key.destination, address_of(destinations.next()));
      put(key.source, address_of(sources.next()));
    }
    key_bytes = sizeof(L2Packet);
    result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = setup.bytes;
    regions = {{table_.buckets, setup.bytes}};
    variants = LOOKUP_VARIANTS(l2);
  }
  const void* table() const override { return &table_; }
  const void* keys() const override { return keys_.data(); }

private:
  // Distinct, of 46 bits, and neither for many (the first byte's lowest bit) nor 0.
  static uint64_t address_of(uint64_t i) { return Permutation(46)(i) << 2 | 2; }
  static void put(uint8_t* bytes, uint64_t address) { std::memcpy(bytes, &address, 6); }

  // How many addresses there was room for.
  uint64_t fill(uint64_t wanted) {
    Filling filling{pages_.as<L2Bucket>(), table_.mask};
    for (uint64_t i = 0; i < wanted; ++i) {
      const uint64_t address = address_of(i), hash = l2_hash(address);
      const int64_t slot =
          free_cuckoo_slot(filling, l2_first(hash, table_.mask), l2_second(hash, table_.mask));
      if (slot < 0) return i;
      filling.buckets[slot / 8].slots[slot % 8] = address << 16 | (mix(i) & 0xff);
    }
    return wanted;
  }

  Pages pages_;
  std::vector<L2Packet> keys_;
  L2 table_;
};

} // namespace

std::unique_ptr<Workload> lookup::make_l2(const Setup& setup) {
  constexpr uint64_t most_addresses = 16 << 20;
  const uint64_t slots = setup.bytes / sizeof(uint64_t);
  if (slots > 2 * most_addresses) return nullptr; // the last size has them all
  return std::make_unique<L2Workload>(setup, std::min(uint64_t(double(slots) * 0.9), most_addresses));
}
