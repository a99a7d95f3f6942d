// The packet body as the planner sees it: groups of nodes that no cut may divide, in topological order.
#pragma once

#include "plan/code_lines.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct CutGroup {
  std::vector<uint32_t> nodes; // of the CutGraph
  std::vector<LineUse> lines;  // of its nodes, each once
  double cost = 0;             // instruction-cache lines of the group alone, by the footprint model
  double static_lines = 0;     // lines of all the code, run or not
  double heat = 0;             // instructions per packet
  uint64_t visits = 0;
  std::vector<uint32_t> in, out; // links
  bool cold() const { return visits == 0; }
};

// All edges from one group to another.
struct CutLink {
  uint32_t from = 0, to = 0; // groups; from < to
  double crossings = 0;      // per packet
  unsigned edges = 0;        // places for a site
};

struct Condensed {
  std::vector<CutGroup> groups; // in topological order
  std::vector<CutLink> links;
  std::vector<uint32_t> group_of;                   // by node
  uint32_t lines = 0;                               // of the graph
  unsigned witnesses = 0;                           // likewise
  LineWeights weights{0, FootprintModel::Batch, 1}; // for the model and the batch of condense()

  CodeLines lines_of(llvm::ArrayRef<uint32_t> groups) const;
  // Of each stage of a labelling.
  std::vector<CodeLines> lines_by_stage(llvm::ArrayRef<unsigned> stages) const;
};

// `batch` matters to FootprintModel::Batch only. Never fails: in the worst case everything is one group.
Condensed condense(const CutGraph& graph, FootprintModel model = FootprintModel::Batch, unsigned batch = 32);

// Why stage(from) <= stage(to) holds for two nodes, where it does not follow from the packets' ways alone, in a few words for the
// user: "the window of table[*].state". Empty where it does, or does not hold.
std::string what_binds(const CutGraph& graph, uint32_t from, uint32_t to);

// One number per group -> one per node.
std::vector<unsigned> node_stages(const Condensed& condensed, const std::vector<unsigned>& group_stages);

} // namespace heddle
