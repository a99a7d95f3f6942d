// The waves of the solver: cycles collapsed, nodes in topological order, differences pushed through.
#include "analysis/solver.h"
#include "analysis/solver_components.h"

#include "llvm/ADT/STLExtras.h"

#include <bit>

using namespace llvm;

namespace heddle {

// More locations than this in one set: it is widened.
static constexpr unsigned widest_set = 1500;

void Solver::merge(NodeId into, NodeId other) {
  Node &a = nodes_[into], &b = nodes_[other];
  representative_[other] = into;
  a.pointees |= b.pointees;
  a.propagated &= b.propagated;
  a.copies.insert(a.copies.end(), b.copies.begin(), b.copies.end());
  a.moves.splice(a.moves.end(), b.moves);
  a.expansions.splice(a.expansions.end(), b.expansions);
  a.grown = a.unexpanded = true;
  bool wide = a.wide || b.wide;
  b = Node();
  a.wide = false;
  if (wide) widen(into);
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
  std::vector<NodeId> component(nodes_.size());
  Components components(
      nodes_.size(),
      [&](NodeId node, SmallVectorImpl<NodeId>& out) {
        for (NodeId to : nodes_[node].copies)
          out.push_back(find(to));
        for (const Moves& group : nodes_[node].moves)
          for (const Move& move : group.moves)
            out.push_back(find(move.to));
      },
      [&](ArrayRef<NodeId> members) {
        append_range(order_, llvm::reverse(members));
        for (NodeId member : members)
          component[member] = members.front();
      });
  for (NodeId node = 0; node < nodes_.size(); ++node)
    if (representative_[node] == node) components.visit(node);
  std::reverse(order_.begin(), order_.end());
  for (NodeId node : order_)
    for (Moves& group : nodes_[node].moves)
      for (Move& move : group.moves)
        move.cyclic = component[node] == component[find(move.to)];
}

LocationSet Solver::take_moved() {
  LocationSet results;
  for (size_t word = 0; word < moved_.size(); ++word)
    for (; moved_[word]; moved_[word] &= moved_[word] - 1)
      results.set(word * 64 + std::countr_zero(moved_[word]));
  return results;
}

// Passes what is new in a node's set on to its successors.
void Solver::push(NodeId id) {
  Node& node = nodes_[id];
  if (!node.wide && node.pointees.count() > widest_set) widen(id);
  LocationSet fresh;
  fresh.intersectWithComplement(node.pointees, node.propagated);
  if (!fresh.empty()) {
    node.propagated |= fresh;
    for (NodeId to : node.copies)
      grow(find(to), fresh);
  }
  Moves all;
  for (Moves& group : node.moves) {
    fresh.intersectWithComplement(node.pointees, group.seen);
    if (fresh.empty()) {
      std::move(group.moves.begin(), group.moves.end(), std::back_inserter(all.moves));
      continue;
    }
    for (Move& how : group.moves) {
      NodeId to = find(how.to);
      // Through plain bits, for a sparse bit vector is quick in ascending order only.
      for (LocationId location : fresh) {
        LocationId result = move(location, how, nodes_[to].pointees);
        if (result / 64 >= moved_.size()) moved_.resize(result / 64 + 1);
        moved_[result / 64] |= uint64_t(1) << result % 64;
      }
      grow(to, take_moved());
      all.moves.push_back(std::move(how));
    }
  }
  if (node.moves.empty()) return;
  all.seen = node.pointees;
  node.moves.clear();
  node.moves.push_back(std::move(all));
}

// One wave; true when there was anything to pass on.
bool Solver::propagate() {
  bool changed = false;
  for (NodeId id : order_) {
    Node& node = nodes_[id];
    if (representative_[id] != id || !node.grown) continue;
    node.grown = false;
    changed = true;
    push(id);
  }
  return changed;
}

void Solver::solve() {
  most_locations_ = std::max<size_t>(20000, nodes_.size() / 4);
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
