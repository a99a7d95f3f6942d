#define EXPENSIVE(pointer) ((void)0)
#include "lpm6_table.h"

#include "dpdk.h"
#include "lpm6.h"

#include <cstdio>
#include <cstring>

namespace lookup {

namespace {

// Groups are taken from the pool's start.
size_t bytes_of(const rte_lpm6& table) {
  return sizeof(rte_lpm6) +
         table.tbl8_pool_pos * RTE_LPM6_TBL8_GROUP_NUM_ENTRIES * sizeof(rte_lpm6_tbl_entry);
}

} // namespace

rte_lpm6* build_lpm6(const std::vector<Prefix6>& prefixes) {
  if (prefixes.empty() || !start_dpdk()) return nullptr;
  const rte_lpm6_config config = {uint32_t(prefixes.size()), uint32_t(prefixes.size() * 5 + 256), 0};
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

lpm6* build_trie6(const std::vector<Prefix6>& prefixes, bool compressed) {
  if (prefixes.empty()) return nullptr;
  std::vector<lpm6_route> routes(prefixes.size());
  for (uint32_t i = 0; i < routes.size(); ++i) {
    std::memcpy(routes[i].prefix, prefixes[i].address.bytes, sizeof routes[i].prefix);
    routes[i].length = prefixes[i].length;
    routes[i].hop = i;
  }
  lpm6* table = lpm6_create(routes.data(), uint32_t(routes.size()), compressed);
  if (!table) std::printf("SKIP: trie6: no memory for the table\n");
  return table;
}

Lpm6Table::Lpm6Table(const rte_lpm6& built, bool huge) : pages_(bytes_of(built), huge) {
  std::memcpy(pages_.as<char>(), &built, pages_.size());
}

Trie6Table::Trie6Table(const lpm6& built, bool huge) : pages_(built.size, huge), copy_(built) {
  std::memcpy(pages_.as<char>(), built.memory, built.size);
  copy_.memory = pages_.as<char>();
}

} // namespace lookup
