// What a session found and made, for people and as JSON (docs/json.md).
#pragma once

#include "specialize/cost.h"
#include "support/diagnostic.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct MapReport {
  std::string name, type;
  std::optional<size_t> entries; // where they were read
  uint32_t most_entries = 0, key_bytes = 0, value_bytes = 0;
  size_t lookups = 0, updates = 0, deletes = 0; // sites of the program
  uint64_t written_bytes = 0;                   // of each value, changed by the program in place
  Remark left_alone;                            // code empty: the map may be specialized
};

struct AnalysisReport {
  uint32_t program = 0; // id
  std::string function, tag;
  size_t instructions = 0;
  std::vector<MapReport> maps;
  std::optional<HostCosts> costs; // by which ways are chosen; with the first of a chain
};

// One thing that a pass did.
struct Performed {
  std::string pass, table, where, what;
};

struct PhaseReport {
  std::string name;
  double milliseconds, processor_milliseconds;
};

struct VersionReport {
  bool original = false; // there is nothing to gain, and the original program runs itself
  bool left = false;     // somebody else's program is in its place, and is left alone: see the remark
  size_t instructions = 0, instructions_before = 0;
  uint32_t verified = 0, verified_before = 0; // see RunningProgram
  unsigned checks = 0;
  double milliseconds = 0;           // from the tables' reading until it runs, or, in a dry run, is loaded
  double processor_milliseconds = 0; // of these
  std::vector<PhaseReport> phases;   // likewise
  std::vector<Performed> performed;
  std::vector<Remark> remarks;
  // Of one that runs.
  std::string attached_to;
  uint32_t program = 0; // id
  uint64_t epoch = 0;   // of the tables (docs/specialize.md)
};

void print(const AnalysisReport& report, llvm::raw_ostream& out);
void print(const VersionReport& report, llvm::raw_ostream& out);
void write(const AnalysisReport& report, llvm::json::OStream& attributes);
void write(const VersionReport& report, llvm::json::OStream& attributes);

} // namespace heddle
