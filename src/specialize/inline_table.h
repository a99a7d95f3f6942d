// Lookups without the table: what it holds becomes code.
#pragma once

#include "specialize/table.h"

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallInst;
class Value;
} // namespace llvm

namespace heddle {

// Each takes a call that returns a pointer to the value of the entry that `key` (a pointer) matches, or null, and is right for
// as long as the table holds what it held.

// The table is empty. Removes the call.
void eliminate_lookup(llvm::CallInst& lookup);

// Replaces the call by compares of the key with each entry's. `section` is where the values' bytes go, as far as anything still
// reads them; reads at a fixed place in the value become constants of each case.
void inline_lookup(llvm::CallInst& lookup, llvm::Value& key, const Table& table, llvm::StringRef section);

// Puts compares with the keys of `hot` in front of the call, which stays for all other keys. The table need not be complete.
void add_hot_keys(llvm::CallInst& lookup, llvm::Value& key, const Table& table, const HotLookups& hot,
                  llvm::StringRef section);

// Reads of bytes that are the same in every entry, and that the program does not change, become constants; the call stays. Returns
// how many reads.
unsigned fold_constant_fields(llvm::CallInst& lookup, const Table& table);

// How many reads fold_constant_fields would fold that decide where the program goes: the others are not worth a check.
unsigned count_deciding_fields(const llvm::CallInst& lookup, const Table& table);

} // namespace heddle
