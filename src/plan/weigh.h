// Where the sample's packets went in a body's graph: turns a trace into the visits, lines and heat of each
// node and the crossings of each edge (NanoPL section 5.2), per context rather than per function.
#pragma once

#include "analysis/access_table.h"
#include "analysis/cut_graph.h"
#include "profile/footprint.h"
#include "profile/trace.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

// Follows one packet's blocks through the graph. A block that is no successor of the present node is work of
// a closed call and belongs to that node.
class GraphWalker {
public:
  explicit GraphWalker(const CutGraph& graph);

  // Calls `enter(event, node, edge)` for each event that moves to another node (edge: index into
  // CutGraph::edges, or no_edge for the first), and `inside(event, node)` for closed work.
  static constexpr uint32_t no_edge = UINT32_MAX;
  void walk(llvm::ArrayRef<BlockId> blocks, llvm::function_ref<void(uint64_t, uint32_t, uint32_t)> enter,
            llvm::function_ref<void(uint64_t, uint32_t)> inside) const;

private:
  const CutGraph& graph_;
  llvm::DenseMap<std::pair<uint32_t, BlockId>, uint32_t> step_; // (node, block) -> edge
};

// Fills visits, lines and heat of the nodes, crossings of the edges, and which part of the packets becomes alone, from the packets of body `number`.
// Returns the number of packets.
uint64_t weigh_graph(CutGraph& graph, unsigned number, const Trace& trace, const FootprintMap& footprint,
                     unsigned line_size = 64);

// When packets run each block, by BlockId; none for blocks that no packet of the sample ran.
std::vector<std::optional<RunSpan>> run_spans(const Trace& trace, const FootprintMap& footprint);

} // namespace heddle
