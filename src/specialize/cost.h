// What a lookup costs, and what would cost less: compares, an index, or the table itself.
#pragma once

#include "specialize/index.h"
#include "specialize/table.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace heddle {

// Nanoseconds on this machine; as they stand here, on a virtual machine of an AMD EPYC with Linux 6.18, in 2026.
struct HostCosts {
  double array = 2.2; // a lookup in an array
  double hash = 17,
         hash_doubling =
             1.8; // in a hash table of 16 entries and keys of 4 bytes; for each doubling of its entries
  double hash_byte = 0.33;                   // for each byte more of its keys
  double prefix = 33, prefix_doubling = 5.7; // in a trie of 16 prefixes; for each doubling
  double hashed = 9, hashed_word = 2;        // in an index of any keys, of 4 bytes; for each eight bytes more
  double load = 2;                           // from an array, where the place is known just before
  double compare = 0.25;                     // with a constant, and a branch that the processor foresees
  double surprise = 6;                       // one that it does not foresee: so much more
  bool measured = false;
};

// How the lookups of a site end: the share of each entry, and of keys that match none. Empty: not known.
struct Outcomes {
  std::vector<double> of_entry;
  double none = 0;

  bool known() const { return !of_entry.empty(); }
  double bits() const; // entropy
};

// Of keys that were sampled, in a table as it is now. Of none: not known.
Outcomes outcomes_of(const Table& table, const llvm::StringMap<uint64_t>& sampled);

// Nanoseconds that each way is expected to take.
double lookup_cost(const HostCosts& costs, const Table& table);
// All entries as compares. Outcomes that are not known are taken as foreseeable.
double compares_cost(const HostCosts& costs, const Table& table, const Outcomes& outcomes);
double index_cost(const HostCosts& costs, const Index& index, uint32_t key_bytes);
// Compares with hot keys, and the lookup for all others.
double hot_keys_cost(const HostCosts& costs, const Table& table, const HotLookups& hot);
// The share of the lookups that hot keys must have for that to pay, if each is met half as often as the one before.
double hot_keys_pay_at(const HostCosts& costs, const Table& table);

// Whether one way is so much better than another that it is worth its code, and that the figures may be wrong a little.
bool pays(double cost, double instead_of);

} // namespace heddle
