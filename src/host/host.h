// What a machine takes for the things that Heddle's models weigh, and where each figure comes from. docs/model.md says
// what each means and how it is measured.
#pragma once

#include "host/machine.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle {

struct Figure {
  double value = 0;          // 0: not known
  double spread_percent = 0; // of its repetitions: distance of the quartiles, in per cent of the median
  std::string source; // "measured", "derived: ...", "estimated: ...", "not measured: ...", or a publication
  bool known() const { return value > 0; }
};

// Running so many bytes of code again and again, in cycles per instruction.
struct CodePoint {
  uint64_t footprint_kib = 0;
  double straight = 0; // additions, one line after the other
  double conditional =
      0; // a branch every seven instructions, each always the same way; runs of 128 bytes, out of order
  double indirect = 0; // likewise, by jumps through a register
};

struct FrontEnd {
  std::string source;
  double straight_instructions_per_line = 0, conditional_instructions_per_line = 0,
         indirect_instructions_per_line = 0;
  std::vector<CodePoint> points; // in order of footprints
};

// Data of which a given level of the caches holds all: random lines of a working set.
struct DataPoint {
  std::string level; // "level1", "level2", "level3", "memory"
  std::string pages; // "4 KiB", "2 MiB"
  uint64_t working_set_kib = 0;
  Figure latency_cycles; // a load whose address the one before has brought
  // Latency divided by the time of each of many independent lines: loaded, or prefetched and then loaded.
  Figure loads_at_once, level1_prefetches_at_once, level2_prefetches_at_once;
};

// One receive or transmit call of so many packets.
struct CallPoint {
  uint32_t burst = 0;
  double receive_cycles = 0, transmit_cycles = 0;           // the whole call
  double receive_each_cycles = 0, transmit_each_cycles = 0; // as many packets by a call each
};

struct Calls {
  std::string source, what; // which calls these are
  std::vector<CallPoint> points;
};

struct Host {
  std::string name;   // for people
  std::string origin; // how this file came to be
  Machine machine;
  uint32_t cpu = 0;           // that was measured
  Figure core_ghz, clock_ghz; // cycles of the core, and of its time stamp counter
  Figure noise_percent;       // spread of a fixed chain of additions, measured before all else and after
  Figure taken_percent;       // of the time of the measurement, that other programs had the CPU
  FrontEnd front_end;
  Figure window_instructions;    // behind an unanswered load, that the core holds
  Figure instructions_per_cycle; // of code that waits for nothing
  Figure crossing_cycles;        // of the runtime's switch between stacks (src/runtime)
  Figure step_cycles,
      pass_cycles;        // of stepping aside in an interleaved body; of each run over those that wait
  Figure prefetch_cycles; // of the instruction, where the line is there
  std::vector<DataPoint> data;
  Figure last_level_mib; // of the last level of cache, that this machine has to itself
  Figure walk_cycles;    // what a load waits in addition where its page's translation is not at hand
  Calls calls;

  // Null where there is none.
  const DataPoint* find(llvm::StringRef level, llvm::StringRef pages) const;
  // Bytes of the first cache of that level and one of these types; 0 where it is not known.
  uint64_t cache_bytes(unsigned level, llvm::StringRef type) const;
  unsigned cache_ways(unsigned level, llvm::StringRef type) const; // likewise
};

// The kinds of code of CodePoint.
using CodeKind = double CodePoint::*;

// What one line of code costs, over what it costs where all of it fits the first level of cache, when so many lines run
// again and again; interpolated between measured footprints, as the last one beyond them. 0 where nothing was measured.
double refill_cycles_per_line(const Host& host, CodeKind kind, double lines);

llvm::Error write_host(const Host& host, llvm::StringRef path);
// The fields of an object that the caller has opened.
void write_host(const Host& host, llvm::json::OStream& json);
// Errors: not a host, unknown or missing fields (named), another version.
llvm::Expected<Host> read_host(llvm::StringRef path);

// For people: every figure with its source, the curves as bars.
void print_host(const Host& host, llvm::raw_ostream& out);

} // namespace heddle
