// A lookup that cannot find anything is not made: parts of the key have few values in all of the table's entries.
#pragma once

#include "specialize/table.h"

#include "llvm/ADT/ArrayRef.h"

#include <set>
#include <string>
#include <vector>

namespace llvm {
class CallInst;
class Value;
} // namespace llvm

namespace heddle {

// Bytes of a key, and all that any entry has there.
struct NarrowField {
  uint32_t offset = 0, bytes = 0; // 1, 2, 4 or 8 bytes, at a multiple of them
  std::set<std::string> values;
};

// Those of an exact table's keys, or of a trie's as far as its shortest prefix goes; the table is complete. None for arrays.
std::vector<NarrowField> narrow_fields(const Table& table);

// Puts a branch in front of the lookup: where the key (a pointer) has another value in one of the fields, it finds null, and the
// call stays for all other keys. Right for as long as the table holds what it held.
void inject_branch(llvm::CallInst& lookup, llvm::Value& key, llvm::ArrayRef<NarrowField> fields);

} // namespace heddle
