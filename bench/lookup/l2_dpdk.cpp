// A layer-2 switch with DPDK's hash table: the table, and the look-up by hand. Both buckets of an address are fetched at once, as in
// DPDK's own rte_hash_lookup_bulk.
#define EXPENSIVE(pointer) ((void)0)
#include "l2_dpdk.h"

#include "amac.h"
#include "coroutine.h"
#include "dpdk.h"
#include "memory.h"
#include "random.h"
#include "workload.h"

#include <rte_lcore.h>

#include <cstdio>
#include <cstring>

using namespace lookup;

namespace {

// One address on its way.
struct Search {
  const rte_hash_bucket *first, *second;
  const uint8_t* address;
  uint32_t hash;

  void start(const rte_hash* table, const uint8_t* bytes) {
    address = bytes;
    hash = l2_dpdk_hash(bytes);
    const uint32_t at = get_prim_bucket_index(table, hash);
    first = &table->buckets[at];
    second = &table->buckets[get_alt_bucket_index(table, at, get_short_sig(hash))];
    prefetch(first);
    prefetch(second);
  }

  static unsigned matches(const rte_hash_bucket& bucket, uint16_t signature) {
    unsigned result = 0;
    for (unsigned slot = 0; slot < RTE_HASH_BUCKET_ENTRIES; slot++)
      result |= unsigned(bucket.sig_current[slot] == signature) << slot;
    return result;
  }

  // The first key whose signature fits.
  void fetch_key(const rte_hash* table) const {
    const uint16_t signature = get_short_sig(hash);
    const rte_hash_bucket* bucket = first;
    unsigned found = matches(*first, signature);
    if (!found) found = matches(*(bucket = second), signature);
    if (found)
      prefetch(static_cast<char*>(table->key_store) +
               uint64_t(bucket->key_idx[__builtin_ctz(found)]) * table->key_entry_size);
  }

  // With all in the cache, DPDK's look-up does not wait.
  uint16_t finish(const rte_hash* table) const {
    return l2_dpdk_port(hash_lookup_with_hash(table, address, hash, nullptr));
  }
};

} // namespace

L2_DPDK(group) {
  constexpr int packets = 16, group = 2 * packets;
  for (int from = 0; from < n; from += packets) {
    const int count = 2 * std::min(packets, n - from);
    Search search[group];
    for (int i = 0; i < count; i += 2) {
      search[i].start(table, keys[from + i / 2].source);
      search[i + 1].start(table, keys[from + i / 2].destination);
    }
    for (int i = 0; i < count; i++)
      search[i].fetch_key(table);
    for (int i = 0; i < count; i += 2)
      results[from + i / 2] = l2_result(search[i + 1].finish(table), search[i].finish(table));
  }
}

L2_DPDK(amac) {
  struct Machine {
    struct State {
      Search source, destination;
      int i;
      bool keys;
    };
    const rte_hash* table;
    const L2Packet* keys;
    uint32_t* results;

    void start(State& state, int i) const {
      state.source.start(table, keys[i].source);
      state.destination.start(table, keys[i].destination);
      state.i = i;
      state.keys = false;
    }
    bool step(State& state) const {
      if (!state.keys) {
        state.source.fetch_key(table);
        state.destination.fetch_key(table);
        state.keys = true;
        return false;
      }
      results[state.i] = l2_result(state.destination.finish(table), state.source.finish(table));
      return true;
    }
  };
  run_amac<16>(Machine{table, keys, results}, n);
}

static Coroutine look_up(Slot&, const rte_hash* table, const L2Packet* packet, uint32_t* result) {
  Search source, destination;
  source.start(table, packet->source);
  destination.start(table, packet->destination);
  co_await std::suspend_always{};
  source.fetch_key(table);
  destination.fetch_key(table);
  co_await std::suspend_always{};
  *result = l2_result(destination.finish(table), source.finish(table));
}

L2_DPDK(coroutines) {
  run_coroutines<16>([=](Slot& slot, int i) { return look_up(slot, table, &keys[i], &results[i]); }, n);
}

namespace {

class L2DpdkWorkload final : public Workload {
public:
  L2DpdkWorkload(const Setup& setup, const rte_hash& built, uint32_t addresses)
      : buckets_(built.num_buckets * sizeof(rte_hash_bucket), setup.huge),
        entries_((uint64_t(addresses) + 1) * built.key_entry_size, setup.huge), keys_(setup.keys) {
    std::memcpy(buckets_.as<char>(), built.buckets, buckets_.size());
    std::memcpy(entries_.as<char>(), built.key_store, entries_.size());
    table_.key_len = built.key_len;
    table_.cmp_jump_table_idx = built.cmp_jump_table_idx;
    table_.bucket_bitmask = built.bucket_bitmask;
    table_.key_entry_size = built.key_entry_size;
    table_.key_store = entries_.as<char>();
    table_.buckets = buckets_.as<rte_hash_bucket>();
    Draw destinations(addresses, setup.zipf, 4), sources(addresses, setup.zipf, 5);
    for (L2Packet& key : keys_) {
      put(key.destination, destinations.next());
      put(key.source, sources.next());
    }
    key_bytes = sizeof(L2Packet);
    result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = buckets_.size() + entries_.size();
    variants = LOOKUP_VARIANTS(l2_dpdk);
  }
  const void* table() const override { return &table_; }
  const void* keys() const override { return keys_.data(); }

  // Distinct, of 46 bits, and neither for many (the first byte's lowest bit) nor 0.
  static void put(uint8_t* bytes, uint64_t i) {
    const uint64_t address = Permutation(46)(i) << 2 | 2;
    std::memcpy(bytes, &address, 6);
  }

private:
  Pages buckets_, entries_;
  std::vector<L2Packet> keys_;
  rte_hash table_ = {};
};

} // namespace

// Of `bytes` of entries and buckets, more or less: 24 bytes for each address.
std::unique_ptr<Workload> lookup::make_l2_dpdk(const Setup& setup) {
  constexpr uint64_t most_addresses = 16 << 20;
  if (setup.bytes > 2 * most_addresses * 24) return nullptr; // the last size has them all
  if (!start_dpdk()) return nullptr;
  const uint32_t wanted = uint32_t(std::min(setup.bytes / 24, most_addresses));
  rte_hash_parameters parameters = {};
  parameters.name = "lookup";
  parameters.entries = wanted + wanted / 8 + 8; // room that its search for free slots wants
  parameters.key_len = 6;
  parameters.hash_func = rte_hash_crc;
  parameters.socket_id = int(rte_socket_id());
  rte_hash* built = rte_hash_create(&parameters);
  if (!built) {
    std::printf("SKIP: l2-dpdk: DPDK has no memory for the table\n");
    return nullptr;
  }
  uint32_t count = 0;
  for (uint8_t bytes[8]; count < wanted; ++count) {
    L2DpdkWorkload::put(bytes, count);
    if (rte_hash_add_key(built, bytes) < 0) break;
  }
  auto workload = std::make_unique<L2DpdkWorkload>(setup, *built, count);
  rte_hash_free(built);
  return workload;
}
