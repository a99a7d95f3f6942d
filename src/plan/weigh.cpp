#include "plan/weigh.h"

#include <algorithm>

namespace heddle {

GraphWalker::GraphWalker(const CutGraph& graph) : graph_(graph) {
  for (uint32_t e = 0; e != graph.edges.size(); ++e) {
    const CutEdge& edge = graph.edges[e];
    step_.try_emplace({edge.from, graph.nodes[edge.to].block}, e);
  }
}

void GraphWalker::walk(llvm::ArrayRef<BlockId> blocks,
                       llvm::function_ref<void(uint64_t, uint32_t, uint32_t)> enter,
                       llvm::function_ref<void(uint64_t, uint32_t)> inside) const {
  uint32_t node = graph_.entry;
  for (uint64_t event = 0; event != blocks.size(); ++event) {
    if (event == 0 && blocks[0] == graph_.nodes[node].block) {
      enter(0, node, no_edge);
      continue;
    }
    auto step = step_.find({node, blocks[event]});
    if (step == step_.end()) {
      inside(event, node);
      continue;
    }
    node = graph_.edges[step->second].to;
    enter(event, node, step->second);
  }
}

namespace {

// The distinct cache lines of one visit, counted without clearing a set: a line is new when its stamp is old.
class LineCounter {
public:
  void start_visit() { ++visit_; }
  unsigned touch(const BlockFootprint& block, unsigned line_size) {
    unsigned fresh = 0;
    for (const MachineRange& range : block.ranges)
      for (uint64_t line = range.address / line_size; line <= (range.address + range.bytes - 1) / line_size;
           ++line)
        if (uint64_t& stamp = stamps_[line]; stamp != visit_) {
          stamp = visit_;
          ++fresh;
        }
    return fresh;
  }

private:
  llvm::DenseMap<uint64_t, uint64_t> stamps_;
  uint64_t visit_ = 0;
};

} // namespace

uint64_t weigh_graph(CutGraph& graph, unsigned number, const Trace& trace, const FootprintMap& footprint,
                     unsigned line_size) {
  std::vector<uint64_t> lines(graph.nodes.size()), instructions(graph.nodes.size());
  std::vector<uint64_t> crossings(graph.edges.size());
  std::vector<uint32_t> own_instructions(footprint.size());
  std::transform(footprint.begin(), footprint.end(), own_instructions.begin(),
                 [](const BlockFootprint& block) { return block.instructions(); });
  for (CutNode& node : graph.nodes)
    node.visits = 0;

  GraphWalker walker(graph);
  LineCounter counter;
  uint64_t packets = 0;
  for (const TracedPacket& packet : trace.packets) {
    if (packet.body != number) continue;
    ++packets;
    llvm::ArrayRef<BlockId> blocks = trace.blocks(packet);
    auto charge = [&](uint64_t event, uint32_t node) {
      lines[node] += counter.touch(footprint[blocks[event]], line_size);
      instructions[node] += own_instructions[blocks[event]];
    };
    walker.walk(
        blocks,
        [&](uint64_t event, uint32_t node, uint32_t edge) {
          counter.start_visit();
          ++graph.nodes[node].visits;
          if (edge != GraphWalker::no_edge) ++crossings[edge];
          charge(event, node);
        },
        charge);
  }
  double count = packets ? double(packets) : 1;
  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    CutNode& node = graph.nodes[n];
    node.cost = node.visits ? double(lines[n]) / double(node.visits) : 0;
    node.heat = double(instructions[n]) / count;
  }
  for (uint32_t e = 0; e != graph.edges.size(); ++e)
    graph.edges[e].crossings = double(crossings[e]) / count;
  return packets;
}

std::vector<std::optional<RunSpan>> run_spans(const Trace& trace, const FootprintMap& footprint) {
  struct Seen {
    uint64_t packets = 0, packet = UINT64_MAX;
    double first = 0, last = 0, last_here = 0; // sums, and the present packet's last
  };
  std::vector<Seen> seen(footprint.size());
  for (uint64_t number = 0; number != trace.packets.size(); ++number) {
    llvm::ArrayRef<BlockId> blocks = trace.blocks(trace.packets[number]);
    uint64_t total = 0, before = 0;
    for (BlockId block : blocks)
      total += footprint[block].instructions();
    for (BlockId block : blocks) {
      Seen& entry = seen[block];
      double when = total ? double(before) / double(total) : 0;
      if (entry.packet != number) {
        entry.packet = number;
        ++entry.packets;
        entry.first += when;
        entry.last_here = 0;
      }
      entry.last += when - entry.last_here;
      entry.last_here = when;
      before += footprint[block].instructions();
    }
  }
  std::vector<std::optional<RunSpan>> spans(seen.size());
  for (size_t b = 0; b != seen.size(); ++b)
    if (double packets = double(seen[b].packets))
      spans[b] = {seen[b].first / packets, seen[b].last / packets};
  return spans;
}

} // namespace heddle
