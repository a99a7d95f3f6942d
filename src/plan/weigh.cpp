#include "plan/weigh.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

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

// The lines of each node, and which witnesses ran them.
class LineTable {
public:
  LineTable(CutGraph& graph, const FootprintMap& footprint, unsigned line_size)
      : graph_(graph), footprint_(footprint), line_size_(line_size) {}

  static constexpr unsigned no_witness = most_witnesses;
  void run(uint32_t node, BlockId block, unsigned witness) {
    if (!known_.insert({node, block}).second && witness == no_witness) return;
    for (const MachineRange& range : footprint_[block].ranges)
      for (uint64_t line = range.address / line_size_; line <= (range.address + range.bytes - 1) / line_size_;
           ++line) {
        LineUse& use = use_of(node, line);
        if (witness != no_witness) use.ran.set(witness);
      }
  }

private:
  LineUse& use_of(uint32_t node, uint64_t address) {
    auto [number, fresh] = numbers_.try_emplace(address, graph_.lines);
    if (fresh) ++graph_.lines;
    std::vector<LineUse>& lines = graph_.nodes[node].lines;
    auto [place, unseen] = places_.try_emplace({node, number->second}, uint32_t(lines.size()));
    if (unseen) lines.push_back({number->second, {}});
    return lines[place->second];
  }

  CutGraph& graph_;
  const FootprintMap& footprint_;
  const unsigned line_size_;
  llvm::DenseSet<std::pair<uint32_t, BlockId>> known_;
  llvm::DenseMap<uint64_t, uint32_t> numbers_;                     // of lines
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> places_; // in the node's lines
};

} // namespace

uint64_t weigh_graph(CutGraph& graph, unsigned number, const Trace& trace, const FootprintMap& footprint,
                     unsigned line_size) {
  std::vector<uint64_t> instructions(graph.nodes.size()), crossings(graph.edges.size());
  std::vector<uint32_t> own_instructions(footprint.size());
  std::transform(footprint.begin(), footprint.end(), own_instructions.begin(),
                 [](const BlockFootprint& block) { return block.instructions(); });
  for (CutNode& node : graph.nodes) {
    node.visits = 0;
    node.lines.clear();
  }
  graph.lines = 0;
  const uint64_t packets = uint64_t(
      llvm::count_if(trace.packets, [&](const TracedPacket& packet) { return packet.body == number; }));
  graph.witnesses = unsigned(std::min<uint64_t>(packets, most_witnesses));

  const llvm::DenseSet<uint32_t> gates(graph.gates.begin(), graph.gates.end());
  GraphWalker walker(graph);
  LineTable table(graph, footprint, line_size);
  uint64_t packet_number = 0, alone = 0;
  unsigned witness = 0; // of the witnesses so far
  for (const TracedPacket& packet : trace.packets) {
    if (packet.body != number) continue;
    const bool is_witness = packet_number++ == witness * packets / graph.witnesses;
    llvm::ArrayRef<BlockId> blocks = trace.blocks(packet);
    alone += llvm::any_of(blocks, [&](BlockId block) { return llvm::is_contained(gates, block); });
    auto charge = [&](uint64_t event, uint32_t node) {
      table.run(node, blocks[event], is_witness ? witness : LineTable::no_witness);
      instructions[node] += own_instructions[blocks[event]];
    };
    walker.walk(
        blocks,
        [&](uint64_t event, uint32_t node, uint32_t edge) {
          ++graph.nodes[node].visits;
          if (edge != GraphWalker::no_edge) ++crossings[edge];
          charge(event, node);
        },
        charge);
    witness += is_witness;
  }
  double count = packets ? double(packets) : 1;
  graph.alone = double(alone) / count;
  for (uint32_t n = 0; n != graph.nodes.size(); ++n)
    graph.nodes[n].heat = double(instructions[n]) / count;
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
