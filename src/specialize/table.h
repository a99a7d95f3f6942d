// What a packet program looks up: a table's shape and, once read, its contents. Nothing here knows eBPF.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class TableKind {
  Exact, // any key, or none
  Lpm,   // key: prefix length as a 32-bit number of the host, then the address, most significant byte first
  Array, // key: an index below `most_entries`, as a 32-bit number of the host; all entries exist
};

struct TableEntry {
  std::string key, value; // bytes as the program sees them
};

struct Table {
  std::string name;
  TableKind kind = TableKind::Exact;
  uint32_t key_bytes = 0, value_bytes = 0, most_entries = 0;
  std::vector<TableEntry> entries;
};

} // namespace heddle
