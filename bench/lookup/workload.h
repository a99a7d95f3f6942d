// What is looked up where: a table, keys, and the variants of one look-up function that bench/lookup compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lookup {

// What a table is made from. A kind that has no use for a field ignores it.
struct Setup {
  size_t bytes = 0;      // of the table; a power of two
  bool small = false;    // a profile run's: as few entries as do
  bool huge = false;     // 2 MB pages instead of 4 KB ones
  bool zipf = false;     // keys drawn with exponent 0.99 instead of uniformly
  int hops = 0;          // dependent loads per look-up
  size_t keys = 1 << 20; // how many look-ups before keys repeat
  const char* data = ""; // folder of shared data
};

// results[i] = look-up of keys[i], for i < n.
using Batch = void (*)(const void* table, const void* keys, void* results, int n);

constexpr int most_in_batch = 256;

struct Variant {
  const char* name;
  Batch run;
  const void* table = nullptr; // null: the workload's
};

// A typed batch function without its types. One call per batch more, for all variants alike.
template <auto function> struct Erased;
template <class Table, class Key, class Result, void (*function)(const Table*, const Key*, Result*, int)>
struct Erased<function> {
  static void run(const void* table, const void* keys, void* results, int n) {
    function(static_cast<const Table*>(table), static_cast<const Key*>(keys), static_cast<Result*>(results),
             n);
  }
};

// Memory that a table has beside the object that table() gives.
struct Region {
  const void* start;
  size_t bytes;
};

class Workload {
public:
  virtual ~Workload() = default;
  virtual const void* table() const = 0;
  virtual const void* keys() const = 0;

  size_t key_bytes = 0, result_bytes = 0, key_count = 0;
  size_t table_bytes = 0; // what it really takes
  bool uneven = false;    // keys take so different times that a part of them says nothing of others
  std::vector<Variant> variants;
  std::vector<Region> regions; // for copies on a GPU: each array of the table, in its order
  std::vector<std::pair<const char*, double>> notes; // on table and keys, printed with each result
};

// NAME_baseline and NAME_heddle from NAME_plain.cpp (plain.h); the others from NAME.cpp.
#define LOOKUP_VARIANTS(name)                                                                                \
  {                                                                                                          \
    {"baseline", Erased<name##_baseline>::run}, {"heddle", Erased<name##_heddle>::run},                      \
        {"group", Erased<name##_group>::run}, {"amac", Erased<name##_amac>::run}, {                          \
      "coroutines", Erased<name##_coroutines>::run                                                           \
    }                                                                                                        \
  }

struct Kind {
  const char* name;
  bool sized; // by Setup::bytes
  bool hops;  // by Setup::hops
  // Null, with the reason printed as SKIP: it cannot be had here.
  std::unique_ptr<Workload> (*make)(const Setup& setup);
};

std::unique_ptr<Workload> make_chase(const Setup& setup);
std::unique_ptr<Workload> make_cuckoo(const Setup& setup);
std::unique_ptr<Workload> make_lpm4(const Setup& setup);
std::unique_ptr<Workload> make_lpm6(const Setup& setup);
std::unique_ptr<Workload> make_lpm6_real(const Setup& setup);
std::unique_ptr<Workload> make_trie6(const Setup& setup);
std::unique_ptr<Workload> make_trie6_compressed(const Setup& setup);
std::unique_ptr<Workload> make_compression_best(const Setup& setup);
std::unique_ptr<Workload> make_compression_some(const Setup& setup);
std::unique_ptr<Workload> make_compression_none(const Setup& setup);
std::unique_ptr<Workload> make_compression_real(const Setup& setup);
std::unique_ptr<Workload> make_ac(const Setup& setup);
std::unique_ptr<Workload> make_ndn(const Setup& setup);
std::unique_ptr<Workload> make_l2(const Setup& setup);
std::unique_ptr<Workload> make_l2_dpdk(const Setup& setup);

} // namespace lookup
