// A version of the program for what its tables hold.
#pragma once

#include "specialize/bpf/index_maps.h"
#include "specialize/bpf/maps.h"
#include "specialize/bpf/object_file.h"
#include "specialize/bpf/prepared.h"
#include "specialize/bpf/report.h"
#include "specialize/bpf/sampler.h"
#include "specialize/bpf/stopwatch.h"
#include "specialize/cost.h"
#include "support/diagnostic.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <memory>

namespace heddle {

// What a version is made for, read while nothing changed.
struct Snapshot {
  uint64_t epoch = 0;
  llvm::StringMap<Table> tables;                             // by map name: those that may be specialized
  llvm::StringMap<std::shared_ptr<const IndexMaps>> indexes; // by map name
  llvm::StringMap<NoIndex> no_index;                         // by map name: why not
  llvm::StringMap<HotLookups> hot;     // by site (Sampler): what the keys that it looks up most find
  llvm::StringMap<std::string> frozen; // by section: global variables that nobody changes any more
};

// The passes, in the order in which they run; each can be left out by name.
inline constexpr const char* specialize_passes[] = {
    "frozen-constants", "table-elimination", "inline-table",    "index-table",
    "hot-keys",         "branch-injection",  "constant-fields", "guard-elision"};

struct Version {
  std::string object; // bytes; empty: nothing is to be done, and the original program is as good
  std::vector<Performed> performed;
  std::vector<Remark> remarks;
  Descriptor made_for; // a map of one number: the epoch that the version was made for
  unsigned checks = 0; // of the guard, beside the one at the entry
};

// The code of the last version that was made, as it was rewritten, and the object that it became. Where tables are in indexes, and in
// the kernel's own maps, a change of them changes no code, and so nothing is compiled.
struct LastCode {
  std::string rewritten, object;
};

struct VersionRequest {
  PreparedPrograms& prepared;
  LastCode& last_code;
  const BpfObjectFile& object;
  llvm::StringRef function; // the program
  const Snapshot& snapshot;
  const llvm::StringSet<>& disabled; // passes
  Sampler* sampler;                  // of lookups in large tables; null: none
  const llvm::StringSet<>& excluded; // maps whose lookups are not sampled
  const HostCosts& costs;
  uint64_t most_ways; // through compares (specialize/ways.h)
  Stopwatch& stopwatch;
  const Descriptor& missed; // counter of packets that find other tables at the entry
};

// Whether a version that was made for one is right for the other, too.
bool same_tables(const Snapshot& one, const Snapshot& other);

// Whether all of the table may become code.
bool is_small(const Table& table);

// Error `data-layout` as a Rejected: LLVM laid the global variables out in another way than in the running program.
llvm::Expected<Version> make_version(const VersionRequest& request);

} // namespace heddle
