// The waves of the solver: cycles collapsed, nodes in topological order, differences pushed through.
#include "analysis/solver.h"
#include "analysis/solver_components.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle {

void Solver::merge(NodeId into, NodeId other) {
  Node &a = nodes_[into], &b = nodes_[other];
  representative_[other] = into;
  a.pointees |= b.pointees;
  a.propagated &= b.propagated;
  a.expanded &= b.expanded;
  a.copies.insert(a.copies.end(), b.copies.begin(), b.copies.end());
  std::move(b.moves.begin(), b.moves.end(), std::back_inserter(a.moves));
  a.accesses.insert(a.accesses.end(), b.accesses.begin(), b.accesses.end());
  a.reactions.insert(a.reactions.end(), b.reactions.begin(), b.reactions.end());
  b = Node();
}

void Solver::collapse_cycles() {
  std::vector<std::vector<NodeId>> cycles;
  Components components(
      nodes_.size(),
      [&](NodeId node, SmallVectorImpl<NodeId>& out) {
        for (NodeId to : nodes_[node].copies)
          out.push_back(find(to));
      },
      [&](ArrayRef<NodeId> members) {
        if (members.size() > 1) cycles.emplace_back(members.begin(), members.end());
      });
  for (NodeId node = 0; node < nodes_.size(); ++node)
    if (representative_[node] == node) components.visit(node);
  for (const std::vector<NodeId>& cycle : cycles)
    for (NodeId other : drop_begin(cycle))
      merge(cycle[0], other);
  if (cycles.empty()) return;
  // Edges by their representatives, once each.
  copy_edges_.clear();
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    std::vector<NodeId>& copies = nodes_[node].copies;
    for (NodeId& to : copies)
      to = find(to);
    llvm::sort(copies);
    copies.erase(std::unique(copies.begin(), copies.end()), copies.end());
    llvm::erase(copies, node);
    for (NodeId to : copies)
      copy_edges_.insert({node, to});
  }
}

void Solver::order_nodes() {
  order_.clear();
  Components components(
      nodes_.size(),
      [&](NodeId node, SmallVectorImpl<NodeId>& out) {
        for (NodeId to : nodes_[node].copies)
          out.push_back(find(to));
        for (const Move& move : nodes_[node].moves)
          out.push_back(find(move.to));
      },
      [&](ArrayRef<NodeId> members) { append_range(order_, llvm::reverse(members)); });
  for (NodeId node = 0; node < nodes_.size(); ++node)
    if (representative_[node] == node) components.visit(node);
  std::reverse(order_.begin(), order_.end());
}

// One wave; true when any set grew beyond what the wave itself passes on.
bool Solver::propagate() {
  bool changed = false;
  LocationSet fresh;
  for (NodeId id : order_) {
    if (representative_[id] != id) continue;
    Node& node = nodes_[id];
    if (node.copies.empty() && node.moves.empty()) continue;
    fresh.intersectWithComplement(node.pointees, node.propagated);
    if (fresh.empty()) continue;
    changed = true;
    node.propagated |= fresh;
    for (NodeId to : node.copies)
      nodes_[find(to)].pointees |= fresh;
    for (Move& move : node.moves) {
      LocationSet& target = nodes_[find(move.to)].pointees;
      for (LocationId location : fresh)
        target.set(this->move(location, move, target));
    }
  }
  return changed;
}

void Solver::solve() {
  bool changed = true;
  while (changed) {
    ++rounds_;
    if (edges_changed_) {
      edges_changed_ = false;
      collapse_cycles();
      order_nodes();
    }
    changed = propagate();
    // Waves without new edges until moves in cycles have settled.
    while (propagate())
      ++rounds_;
    std::vector<NodeId> nodes;
    nodes.swap(expanding_);
    for (NodeId& node : nodes)
      node = find(node);
    llvm::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    size_t before = constraints_;
    for (NodeId node : nodes)
      expand(node);
    append_range(expanding_, nodes);
    changed |= wake();
    changed |= edges_changed_ || constraints_ != before;
  }
}

} // namespace heddle
