// The waves of the solver: cycles collapsed, nodes in topological order, differences pushed through.
#include "analysis/solver.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle {

namespace {

// Tarjan's algorithm without recursion over nodes 0..count-1. Components come out with all their successors
// before them.
class Components {
public:
  Components(size_t count, function_ref<void(NodeId, SmallVectorImpl<NodeId>&)> successors,
             function_ref<void(ArrayRef<NodeId>)> found)
      : successors_(successors), found_(found), number_(count), low_(count), on_stack_(count) {}

  void visit(NodeId root) {
    if (number_[root]) return;
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next < frame.successors.size()) {
        NodeId next = frame.successors[frame.next++];
        if (!number_[next])
          enter(next);
        else if (on_stack_[next])
          low_[frame.node] = std::min(low_[frame.node], number_[next]);
        continue;
      }
      NodeId node = frame.node;
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
      if (low_[node] == number_[node]) leave(node);
    }
  }

private:
  struct Frame {
    NodeId node;
    size_t next = 0;
    SmallVector<NodeId, 8> successors;
  };

  void enter(NodeId node) {
    number_[node] = low_[node] = ++counter_;
    on_stack_[node] = true;
    stack_.push_back(node);
    frames_.push_back({node, 0, {}});
    successors_(node, frames_.back().successors);
  }

  void leave(NodeId node) {
    size_t first = stack_.size();
    do
      on_stack_[stack_[--first]] = false;
    while (stack_[first] != node);
    found_(ArrayRef(stack_).drop_front(first));
    stack_.resize(first);
  }

  function_ref<void(NodeId, SmallVectorImpl<NodeId>&)> successors_;
  function_ref<void(ArrayRef<NodeId>)> found_;
  std::vector<uint32_t> number_, low_;
  std::vector<bool> on_stack_;
  std::vector<NodeId> stack_;
  std::vector<Frame> frames_;
  uint32_t counter_ = 0;
};

} // namespace

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
    changed |= edges_changed_ || constraints_ != before;
  }
}

} // namespace heddle
