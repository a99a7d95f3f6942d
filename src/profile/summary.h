// A profile as a person reads it, and as JSON: `heddle profile --print`.
#pragma once

#include "profile/icache.h"

#include <string>
#include <vector>

namespace heddle {

struct FunctionHeat {
  std::string name;
  double heat = 0;     // instructions per packet
  uint32_t lines = 0;  // distinct lines of its blocks that ran
  uint64_t visits = 0; // of its entry block
};

struct BlockHeat {
  BlockId block;
  std::string function, where; // where: file:line or empty
  double heat = 0, cost = 0;
  uint64_t visits = 0;
};

// All about the packets of one body.
struct BodySummary {
  uint32_t body = 0;
  std::string function; // that held the loop, or the callback; empty when the program does not say
  uint64_t packets = 0, batches = 0, distinct_paths = 0;
  double instructions = 0, blocks = 0, lines = 0; // means per packet; lines are distinct ones
  uint64_t most_instructions = 0;
  uint32_t sample_lines = 0;           // distinct lines of the whole sample
  std::vector<FunctionHeat> functions; // hottest first
  std::vector<BlockHeat> hottest;
  std::vector<std::pair<CacheGeometry, CacheResult>> caches; // original order, simulated
};

struct ProfileSummary {
  std::string program;
  uint64_t packets_seen = 0, packets_dropped = 0;
  std::vector<BodySummary> bodies; // those with packets
};

// At most `top` functions and blocks are listed for each body.
ProfileSummary summarize(Trace trace, const Program& program, const FootprintMap& footprint,
                         llvm::ArrayRef<CacheGeometry> geometries, unsigned top = 20);

void print_summary(const ProfileSummary& summary, llvm::raw_ostream& out);
void print_summary_json(const ProfileSummary& summary, llvm::raw_ostream& out);

} // namespace heddle
