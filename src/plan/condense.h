// The packet body as the planner sees it: groups of nodes that no cut may divide, in topological order.
#pragma once

#include "analysis/cut_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

// How much of the instruction cache a group takes while one stage runs.
//
// PerVisit is the paper's: the sum of s(B) over the blocks that the sample visited, however rarely. It speaks
// of one path: a stage is full as soon as everything that any packet of the sample ever ran there is counted.
// Batch weighs each block by the chance that at least one of the batch's packets runs it, 1 - (1 - p)^batch:
// what has to fit is the union of what a batch of mixed traffic touches. At 32 packets a block that one
// packet in twenty runs counts four fifths, and one that a packet in a thousand runs counts a thirtieth.
// Batch is the default: for mixed traffic it asks exactly for what staging needs, and it is never above
// PerVisit.
enum class FootprintModel { PerVisit, Batch };

struct CutGroup {
  std::vector<uint32_t> nodes; // of the CutGraph
  double cost = 0;             // instruction-cache lines, by the footprint model
  double packet_lines = 0;     // lines that one packet touches, expected
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
  std::vector<uint32_t> group_of; // by node
};

// `batch` matters to FootprintModel::Batch only. Never fails: in the worst case everything is one group.
Condensed condense(const CutGraph& graph, FootprintModel model = FootprintModel::Batch, unsigned batch = 32);

// Why stage(from) <= stage(to) holds for two nodes, where it does not follow from the packets' ways alone, in a few words for the
// user: "the window of table[*].state". Empty where it does, or does not hold.
std::string what_binds(const CutGraph& graph, uint32_t from, uint32_t to);

// One number per group -> one per node.
std::vector<unsigned> node_stages(const Condensed& condensed, const std::vector<unsigned>& group_stages);

} // namespace heddle
