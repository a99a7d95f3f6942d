// Arrays in the place of a table: for hash tables, and for prefixes.
#pragma once

#include "specialize/table.h"

#include "llvm/ADT/StringRef.h"

namespace heddle {

struct Index {
  TableKind kind = TableKind::Exact;
  std::vector<uint32_t> nodes;     // see index_find.h: the number of a value, or nothing, or where to go on
  std::vector<std::string> values; // each once
  // Exact, of numbers: the node of a key is its number less `least`.
  uint32_t least = 0;
  bool swapped = false; // the number's bytes are in the order of the network
  // Exact, where keys are no numbers close together: a perfect hash function (hash_index.h). The numbers of nodes and values are powers of two;
  // each value stands behind its key, which is filled up to whole words.
  bool hashed = false;
  uint64_t seed = 0;
  // Lpm: the first 16 bits of an address choose one of the first 65,536 nodes, every further 8 bits one of 256.
  unsigned levels = 0;     // below the first
  uint32_t least_bits = 0; // of a key: a shorter one may match less than the index finds
};

// Why there is none: a reason code, what is in the way, and what to do.
struct NoIndex {
  const char *code, *what, *hint;
};

// For a complete table. Fills `why` where it returns false.
bool make_index(const Table& table, Index& index, NoIndex& why);

} // namespace heddle
