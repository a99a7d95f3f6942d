// What a running program has counted (runtime/counters_file.h), read from outside.
#pragma once

#include "runtime/counters_file.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct CountedBody {
  std::string name;
  std::vector<heddle_counters_row> stages;
};

// Where packets became alone, and how many: the most first.
struct CountedPlace {
  std::string name;
  uint64_t packets;
};

// All threads and processes of a program together.
struct Counts {
  std::string program;
  std::vector<uint32_t> processes; // that are alive
  double seconds = 0;              // since the program began
  uint64_t packets = 0, one_by_one = 0, batches = 0, crossings = 0, alone = 0, deferred = 0, visits = 0,
           held = 0;
  uint64_t received = 0;                            // packets of the batches in `sizes`
  std::array<uint64_t, HEDDLE_BATCH_SIZES> sizes{}; // batches received, by packets: see largest_of()
  uint64_t slotless = 0;                            // threads that are not counted
  std::vector<CountedBody> bodies;
  std::vector<CountedPlace> alone_at;

  double packets_per_visit() const { return visits == 0 ? 0 : double(crossings) / double(visits); }
};

// The most packets of a batch of that class; 0: any number.
uint64_t largest_of(unsigned size_class);

// Errors: no such file, no permission, not a file of counters or only part of one, one of another version, and a stale one: of a
// program that was killed.
llvm::Expected<Counts> read_counts(llvm::StringRef path);

// What has been counted since, and how long that took. Of the same program.
Counts since(const Counts& now, const Counts& before);

// The file of counters that a process uses. Errors: no such process, none of ours, one without counters.
llvm::Expected<std::string> counters_of_process(uint32_t process);

} // namespace heddle
