// What a packet program looks up: a table's shape and, once read, its contents. Nothing here knows eBPF.
#pragma once

#include <algorithm>
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

// Some bytes of a value.
struct ByteRange {
  uint64_t begin = 0, end = 0;

  bool operator==(const ByteRange&) const = default;
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
  // Bytes that the program itself changes, in the table's own elements: nothing is known of them, and they are zeros here.
  // Lookups that find something have to be made, for the place to write to.
  std::vector<ByteRange> written = {};

  bool operator==(const Table&) const = default;

  bool is_written(uint64_t begin, uint64_t bytes) const {
    return std::any_of(written.begin(), written.end(),
                       [&](const ByteRange& w) { return begin < w.end && w.begin < begin + bytes; });
  }
  uint64_t written_bytes() const {
    uint64_t count = 0;
    for (uint64_t at = 0; at != value_bytes; ++at)
      count += is_written(at, 1);
    return count;
  }
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
