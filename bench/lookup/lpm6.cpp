// IPv6 forwarding: the table, and the look-up by hand. A step is DPDK's lookup_step.
#define EXPENSIVE(pointer) ((void)0)
#include "lpm6.h"

#include "amac.h"
#include "coroutine.h"
#include "dpdk.h"
#include "memory.h"
#include "random.h"
#include "workload.h"

#include <arpa/inet.h>

#include <cstdio>
#include <cstring>

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

struct Prefix {
  Lpm6Address address;
  uint8_t length;
};

void put_random_bits(Lpm6Address& address, int from, int to, Random& random) {
  for (int bit = from; bit < to; ++bit)
    address.bytes[bit / 8] |= uint8_t((random.next() & 1) << (7 - bit % 8));
}

// As in G-Opt: random ones of 48 to 64 bits.
std::vector<Prefix> random_prefixes(uint32_t count) {
  Random random(10);
  std::vector<Prefix> result(count);
  for (Prefix& prefix : result) {
    prefix.length = uint8_t(48 + random.below(17));
    put_random_bits(prefix.address, 0, prefix.length, random);
  }
  return result;
}

// Of DATA/routeviews-ipv6-201409.txt, ADDRESS/LENGTH a line; empty: it could not be read.
std::vector<Prefix> real_prefixes(const char* data, uint32_t most) {
  char path[4096], line[128];
  std::snprintf(path, sizeof path, "%s/routeviews-ipv6-201409.txt", data);
  std::vector<Prefix> result;
  std::FILE* file = std::fopen(path, "r");
  if (!file) return result;
  while (result.size() < most && std::fgets(line, sizeof line, file)) {
    char* slash = std::strchr(line, '/');
    unsigned length = 0;
    Prefix prefix = {};
    if (!slash || std::sscanf(slash + 1, "%u", &length) != 1 || length < 1 || length > 128) continue;
    *slash = '\0';
    if (inet_pton(AF_INET6, line, prefix.address.bytes) != 1) continue;
    prefix.length = uint8_t(length);
    result.push_back(prefix);
  }
  std::fclose(file);
  return result;
}

// A table in DPDK's memory; null, with the reason printed. The caller frees it.
rte_lpm6* build(const std::vector<Prefix>& prefixes, uint32_t number_tbl8s) {
  const rte_lpm6_config config = {uint32_t(prefixes.size()), number_tbl8s, 0};
  rte_lpm6* table = rte_lpm6_create("lookup", -1, &config);
  if (!table) {
    std::printf("SKIP: lpm6: DPDK has no memory for the table\n");
    return nullptr;
  }
  for (uint32_t i = 0; i < prefixes.size(); ++i)
    if (rte_lpm6_add(table, prefixes[i].address.bytes, prefixes[i].length, i) < 0) {
      std::printf("SKIP: lpm6: DPDK refuses prefix %u\n", i);
      rte_lpm6_free(table);
      return nullptr;
    }
  return table;
}

class Lpm6Workload final : public Workload {
public:
  Lpm6Workload(const Setup& setup, const rte_lpm6& built, const std::vector<Prefix>& prefixes)
      : pages_(sizeof(rte_lpm6) + used(built) * RTE_LPM6_TBL8_GROUP_NUM_ENTRIES * sizeof(rte_lpm6_tbl_entry),
               setup.huge),
        keys_(setup.keys) {
    std::memcpy(pages_.as<char>(), &built, pages_.size());
    // Addresses within prefixes, as in G-Opt.
    Draw draw(prefixes.size(), setup.zipf, 11);
    Random random(12);
    for (Lpm6Address& key : keys_) {
      const Prefix& prefix = prefixes[draw.next()];
      key = prefix.address;
      put_random_bits(key, prefix.length, 128, random);
    }
    key_bytes = sizeof(Lpm6Address);
    result_bytes = sizeof(uint32_t);
    key_count = keys_.size();
    table_bytes = pages_.size();
    variants = LOOKUP_VARIANTS(lpm6);
  }
  const void* table() const override { return pages_.as<rte_lpm6>(); }
  const void* keys() const override { return keys_.data(); }

private:
  // Groups are taken from the pool's start.
  static size_t used(const rte_lpm6& table) { return table.tbl8_pool_pos; }

  Pages pages_;
  std::vector<Lpm6Address> keys_;
};

std::unique_ptr<Workload> make(const Setup& setup, const std::vector<Prefix>& prefixes) {
  rte_lpm6* built = build(prefixes, uint32_t(prefixes.size() * 5 + 256));
  if (!built) return nullptr;
  auto workload = std::make_unique<Lpm6Workload>(setup, *built, prefixes);
  rte_lpm6_free(built);
  return workload;
}

} // namespace

std::unique_ptr<Workload> lookup::make_lpm6(const Setup& setup) {
  if (!start_dpdk()) return nullptr;
  return make(setup, random_prefixes(setup.small ? 2000 : 200000));
}

std::unique_ptr<Workload> lookup::make_lpm6_real(const Setup& setup) {
  const std::vector<Prefix> prefixes = real_prefixes(setup.data, setup.small ? 2000 : UINT32_MAX);
  if (prefixes.empty()) {
    std::printf("SKIP: lpm6-real: no routeviews-ipv6-201409.txt in %s\n", setup.data);
    return nullptr;
  }
  if (!start_dpdk()) return nullptr;
  return make(setup, prefixes);
}
