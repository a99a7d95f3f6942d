// One profile out of many: of other hosts, other times, other traffic, all of one build.
#pragma once

#include "profile/footprint.h"
#include "profile/trace.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle {

struct TraceToMerge {
  std::string name; // for people: its file
  Trace trace;
  double weight = 0; // above 0; of which unit does not matter
};

// What became of one of them.
struct MergedTrace {
  std::string name;
  double weight = 0; // its share of all, 0 to 1
  uint64_t packets_seen = 0, sampled = 0, taken = 0;
  double instructions = 0; // per packet, of all that it has sampled
  double distance =
      0; // of its blocks' shares of the instructions from the merged profile's: 0 is the same, 1 has no block in common
};

// A function in which they differ.
struct DifferingFunction {
  std::string name;
  std::vector<double> heats; // instructions per packet in each of them
  double merged = 0;
  double spread() const;
};

struct Merged {
  Trace trace;
  std::vector<MergedTrace> inputs;
  std::vector<DifferingFunction> functions; // those that differ, most first
};

// The sample of the result has of each input as large a share as its weight, whole batches evenly spread; the one that is sampled least for its
// weight is in it with all of its packets. What loads find is weighed likewise. All are of one program; at least one.
Merged merge_traces(const std::vector<TraceToMerge>& inputs, const Program& program,
                    const FootprintMap& footprint);

void print_merged(const Merged& merged, llvm::raw_ostream& out);
// The fields of an object that the caller has opened.
void write_merged(const Merged& merged, llvm::json::OStream& json);

} // namespace heddle
