// path.json: what `heddle plan` saw of the packet path and the plan's file does not hold. `heddle report` draws from it.
//
// Per body every block that packets ran, with its stage, its weight and how far into the packet it ran on average; how many packets
// each receive call of the sample brought; simulated misses at a row of cache sizes, as written and as planned; and where the source
// files lie. `checked` is the digest of the plan that it belongs to.
#pragma once

#include "plan/simulate.h"

#include <map>
#include <string>

namespace heddle {

// Of one node of a body's graph that packets ran, with the closed calls in it.
struct PathNode {
  uint32_t node = 0;               // index into CutGraph::nodes, as in the plan's accesses
  uint32_t context = 0, block = 0; // index into BodyPlan::contexts, BlockId
  unsigned stage = 0;
  uint64_t visits = 0;                // in the sample
  double instructions = 0, lines = 0; // per packet; instruction-cache lines, of all visits
  double when = 0; // part of the packet's instructions that ran before it, 0 to 1, on average
  std::string function, at;
};

struct BodyPath {
  std::string body;
  std::vector<PathNode> nodes; // by stage, then by time
  std::map<uint32_t, uint64_t>
      batches; // packets that a receive call brought to the body -> how many such calls
};

// One per graph of the study. Errors: sites of the plan that are not on the graph.
llvm::Expected<std::vector<BodyPath>> packet_paths(const Trace& trace, const Study& study, const Plan& plan);

// The sizes of a miss curve: powers of two, 8 ways, and the host's own.
std::vector<CacheGeometry> curve_geometries();

struct PathFile {
  const Plan& plan;
  std::vector<BodyPath> bodies;
  std::vector<CacheGeometry> geometries;
  std::vector<SimulatedMisses> misses; // one per geometry
  std::map<std::string, std::string> sources;
};
llvm::Error write_path_file(const PathFile& file, llvm::StringRef path);

} // namespace heddle
