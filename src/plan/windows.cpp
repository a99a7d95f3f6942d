// A window's own extent is the hull of its accesses: what lies on a path from one of them to another. That is
// what its owner recognises, so the table of windows is made of hulls. But hulls overlap, and two that do
// hold their union together; so freeing the largest window alone may gain nothing. The regions say what would
// be gained: the body is condensed again (condense.cpp) without the window, and without it and all larger
// ones.

#include "plan/windows.h"

#include "llvm/ADT/BitVector.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heddle {

namespace {

using Adjacency = std::vector<std::vector<uint32_t>>;

struct Ways {
  Adjacency forward, backward;
  std::vector<uint32_t> order; // position of each node in a reverse postorder from the entry
};

std::vector<uint32_t> reverse_postorder(const CutGraph& graph, const Adjacency& forward) {
  std::vector<uint32_t> order(graph.nodes.size(), UINT32_MAX);
  llvm::BitVector seen(unsigned(graph.nodes.size()));
  std::vector<std::pair<uint32_t, size_t>> frames;
  uint32_t next = uint32_t(graph.nodes.size());
  if (graph.nodes.empty()) return order;
  seen.set(graph.entry);
  frames.push_back({graph.entry, 0});
  while (!frames.empty()) {
    uint32_t node = frames.back().first;
    if (frames.back().second == forward[node].size()) {
      order[node] = --next;
      frames.pop_back();
      continue;
    }
    uint32_t to = forward[node][frames.back().second++];
    if (seen.test(to)) continue;
    seen.set(to);
    frames.push_back({to, 0});
  }
  return order;
}

Ways ways_of(const CutGraph& graph) {
  Ways ways;
  ways.forward.resize(graph.nodes.size());
  ways.backward.resize(graph.nodes.size());
  for (const CutEdge& edge : graph.edges) {
    ways.forward[edge.from].push_back(edge.to);
    ways.backward[edge.to].push_back(edge.from);
  }
  ways.order = reverse_postorder(graph, ways.forward);
  return ways;
}

llvm::BitVector reach(const SharedLocation& location, const Adjacency& next) {
  llvm::BitVector seen(unsigned(next.size()));
  std::vector<uint32_t> work;
  auto add = [&](uint32_t node) {
    if (seen.test(node)) return;
    seen.set(node);
    work.push_back(node);
  };
  for (const LocationAccess& access : location.accesses)
    add(access.node);
  while (!work.empty()) {
    uint32_t node = work.back();
    work.pop_back();
    for (uint32_t to : next[node])
      add(to);
  }
  return seen;
}

// The accesses in control-flow order: the first and the last bound the window.
std::vector<LocationAccess> ordered_accesses(const SharedLocation& location, const Ways& ways) {
  std::vector<LocationAccess> accesses = location.accesses;
  llvm::sort(accesses, [&](const LocationAccess& a, const LocationAccess& b) {
    return std::tie(ways.order[a.node], a.node, a.at, a.write) <
           std::tie(ways.order[b.node], b.node, b.at, b.write);
  });
  return accesses;
}

// What freeing windows would change, for the largest ones: `graph` is condensed again without them.
void measure_regions(CutGraph graph, BodyPlan& plan) {
  constexpr size_t tried = 20;
  if (plan.windows.empty() || plan.instructions <= 0) return;
  auto hottest = [&] {
    double heat = 0;
    for (const CutGroup& group : condense(graph, FootprintModel::PerVisit).groups)
      heat = std::max(heat, group.heat);
    return heat / plan.instructions;
  };
  auto set_verdict = [&](const PlannedWindow& window, const char* verdict) {
    for (SharedLocation& location : graph.locations)
      if (location.name == window.name && location.reason == window.reason &&
          (location.verdict == "window" || location.verdict == "freed"))
        location.verdict = verdict;
  };
  Condensed now = condense(graph, FootprintModel::PerVisit);
  double whole = hottest();
  for (PlannedWindow& window : plan.windows) {
    uint32_t group = now.group_of[window.accesses.front().node];
    window.region_share = now.groups[group].heat / plan.instructions;
    window.freed_alone = window.freed_with_larger = whole;
  }
  size_t count = std::min(tried, plan.windows.size());
  for (size_t w = 0; w != count; ++w) {
    set_verdict(plan.windows[w], "freed");
    plan.windows[w].freed_alone = hottest();
    set_verdict(plan.windows[w], "window");
  }
  for (size_t w = 0; w != count; ++w) {
    set_verdict(plan.windows[w], "freed");
    plan.windows[w].freed_with_larger = hottest();
  }
}

} // namespace

void measure_windows(const CutGraph& graph, FootprintModel model, unsigned batch, BodyPlan& plan) {
  // One group per node: only the weights are of interest here.
  CutGraph weights = graph;
  weights.edges.clear();
  weights.locations.clear();
  Condensed nodes = condense(weights, model, batch);
  auto weight = [&](unsigned node) -> const CutGroup& { return nodes.groups[nodes.group_of[node]]; };

  plan.shared_locations = uint32_t(graph.locations.size());
  plan.packets = graph.nodes.empty() ? 0 : graph.nodes[graph.entry].visits;
  for (const CutGroup& group : nodes.groups) {
    plan.instructions += group.heat;
    plan.footprint += group.cost;
    plan.static_lines += group.static_lines;
  }

  Ways ways = ways_of(graph);
  llvm::BitVector in_any(unsigned(graph.nodes.size()));
  for (const SharedLocation& location : graph.locations) {
    if (location.verdict != "window" || location.accesses.empty()) {
      plan.relaxed.push_back({location.name, location.verdict, location.reason});
      continue;
    }
    llvm::BitVector hull = reach(location, ways.forward);
    hull &= reach(location, ways.backward);
    in_any |= hull;
    PlannedWindow window;
    window.name = location.name;
    window.verdict = location.verdict;
    window.reason = location.reason;
    window.would_free = location.would_free;
    double heat = 0;
    for (unsigned node : hull.set_bits()) {
      heat += weight(node).heat;
      window.cost += weight(node).cost;
      window.static_lines += weight(node).static_lines;
    }
    window.instructions = uint64_t(std::llround(heat));
    window.heat_share = plan.instructions > 0 ? heat / plan.instructions : 0;
    window.accesses = ordered_accesses(location, ways);
    plan.windows.push_back(std::move(window));
  }
  for (unsigned node : in_any.set_bits()) {
    plan.window_heat += weight(node).heat;
    plan.window_lines += weight(node).static_lines;
  }
  llvm::sort(plan.windows, [](const PlannedWindow& a, const PlannedWindow& b) {
    return std::tie(b.heat_share, b.static_lines, a.name) < std::tie(a.heat_share, a.static_lines, b.name);
  });
  measure_regions(graph, plan);
}

} // namespace heddle
