// What a packet program looks up: a table's shape and, once read, its contents. Nothing here knows eBPF.
#pragma once

#include <cstdint>
#include <optional>
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

  bool operator==(const TableEntry&) const = default;
};

struct Table {
  std::string name;
  TableKind kind = TableKind::Exact;
  uint32_t key_bytes = 0, value_bytes = 0, most_entries = 0;
  std::vector<TableEntry> entries;
  bool complete = true; // false: it has more entries than are read; none is here

  bool operator==(const Table&) const = default;
};

// What a lookup of one key finds.
struct KnownLookup {
  std::string key;                  // all of it, as the program sees it
  std::optional<std::string> value; // nothing: no entry matches
  uint64_t count = 0;               // how often it was sampled
};

// The lookups of one site.
struct HotLookups {
  std::vector<KnownLookup> known;
  uint64_t others = 0; // samples of other keys
};

} // namespace heddle
