// A window's own extent is the hull of its accesses: what lies on a path from one of them to another. That is
// what its owner recognises, so the table of windows is made of hulls. But hulls overlap, and two that do
// hold their union together; so freeing the largest window alone may gain nothing. The regions say what would
// be gained: the body is condensed again (condense.cpp) without the window, and without it and all larger
// ones.

#include "plan/windows.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <cmath>
#include <map>
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

// The accesses in control-flow order, one per source line and kind: the first and the last bound the window.
std::vector<LocationAccess> ordered_accesses(std::vector<LocationAccess> accesses, const Ways& ways) {
  llvm::sort(accesses, [&](const LocationAccess& a, const LocationAccess& b) {
    return std::tie(ways.order[a.node], a.node, a.at, a.write) <
           std::tie(ways.order[b.node], b.node, b.at, b.write);
  });
  llvm::StringSet<> seen;
  llvm::erase_if(accesses, [&](const LocationAccess& access) {
    return !seen.insert(access.at.str() + (access.write ? "\n" : " ") + access.function.str()).second;
  });
  return accesses;
}

// Locations of one object with one extent: one row of the table.
struct Row {
  PlannedWindow window;
  std::vector<uint32_t> locations; // of the graph
  std::vector<std::string> hints;  // what would free each
  uint32_t hull = 0;
};

constexpr const char* outside_world = "memory of the outside world"; // name_of() the unknown object

// The hint that most of the row's locations get.
std::string usual_hint(const Row& row) {
  std::map<std::string, size_t> counts;
  for (const std::string& hint : row.hints)
    ++counts[hint];
  auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(counts.begin(), counts.end(), fewer)->first;
}

class WindowTable {
public:
  WindowTable(const CutGraph& graph, const Condensed& nodes, BodyPlan& plan)
      : graph_(graph), nodes_(nodes), plan_(plan), ways_(ways_of(graph)),
        in_any_(unsigned(graph.nodes.size())) {}

  void fill() {
    for (uint32_t l = 0; l != graph_.locations.size(); ++l)
      add(l);
    for (unsigned node : in_any_.set_bits()) {
      plan_.window_heat += weight(node).heat;
      plan_.window_lines += weight(node).static_lines;
    }
    merge_rows();
    for (Row& row : rows_)
      finish(row);
    llvm::sort(rows_, [](const Row& a, const Row& b) {
      const PlannedWindow &x = a.window, &y = b.window;
      return std::tie(y.heat_share, y.ran, y.static_lines, y.locations, x.name, a.locations) <
             std::tie(x.heat_share, x.ran, x.static_lines, x.locations, y.name, b.locations);
    });
    measure_regions();
    for (Row& row : rows_)
      plan_.windows.push_back(std::move(row.window));
  }

private:
  const CutGroup& weight(unsigned node) const { return nodes_.groups[nodes_.group_of[node]]; }

  // Locations with accesses in the same nodes have the same hull.
  uint32_t hull_of(const SharedLocation& location) {
    std::vector<uint32_t> nodes;
    for (const LocationAccess& access : location.accesses)
      nodes.push_back(access.node);
    llvm::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    auto [place, fresh] = hull_by_nodes_.try_emplace(std::move(nodes), 0);
    if (!fresh) return place->second;
    llvm::BitVector hull = reach(location, ways_.forward);
    hull &= reach(location, ways_.backward);
    in_any_ |= hull;
    std::vector<unsigned> members(hull.set_bits_begin(), hull.set_bits_end());
    auto [known, unseen] = hull_numbers_.try_emplace(std::move(members), uint32_t(hulls_.size()));
    if (unseen) {
      CutGroup& sum = hulls_.emplace_back();
      CodeLines lines(nodes_.lines);
      for (unsigned node : known->first) {
        sum.heat += weight(node).heat;
        sum.static_lines += weight(node).static_lines;
        lines.add(weight(node).lines);
      }
      sum.cost = lines.of_batch(nodes_.weights);
    }
    return place->second = known->second;
  }

  void add(uint32_t number) {
    const SharedLocation& location = graph_.locations[number];
    if (location.verdict != "window" || location.accesses.empty()) {
      plan_.relaxed.push_back({location.name, location.verdict, location.reason});
      return;
    }
    uint32_t hull = hull_of(location);
    const std::string& object = location.object.empty() ? location.name : location.object;
    auto [place, fresh] =
        row_of_.try_emplace({object, location.reason, hull, location.ran}, uint32_t(rows_.size()));
    if (fresh) start(rows_.emplace_back(), location, hull);
    Row& row = rows_[place->second];
    row.locations.push_back(number);
    row.hints.push_back(location.would_free);
    PlannedWindow& window = row.window;
    llvm::append_range(window.accesses, location.accesses);
    llvm::append_range(window.sampled, location.sampled);
    for (const std::string& part : location.parts)
      if (!llvm::is_contained(window.parts, part)) window.parts.push_back(part);
  }

  void start(Row& row, const SharedLocation& location, uint32_t hull) {
    PlannedWindow& window = row.window;
    window.name = location.name;
    window.verdict = location.verdict;
    window.reason = location.reason;
    window.ran = location.ran;
    window.objects.push_back(location.object.empty() ? location.name : location.object);
    row.hull = hull;
    double heat = hulls_[hull].heat;
    window.cost = hulls_[hull].cost;
    window.static_lines = hulls_[hull].static_lines;
    window.instructions = uint64_t(std::llround(heat));
    window.heat_share = plan_.instructions > 0 ? heat / plan_.instructions : 0;
  }

  // Objects that the same accesses bound are one row: the analysis cannot tell which of them is meant.
  void merge_rows() {
    using Bound = std::tuple<double, bool, std::string, std::string>;
    std::map<std::tuple<uint32_t, std::string, std::vector<Bound>>, size_t> known;
    std::vector<Row> merged;
    for (Row& row : rows_) {
      keep_bounds(row.window.sampled);
      std::vector<Bound> bounds;
      for (const SampledAccess& access : row.window.sampled)
        bounds.push_back({access.when, access.write, access.function, access.at});
      bool alone = bounds.empty();
      auto [place, fresh] =
          alone ? std::pair(known.end(), true)
                : known.try_emplace({row.hull, row.window.reason, std::move(bounds)}, merged.size());
      if (fresh) {
        merged.push_back(std::move(row));
        continue;
      }
      Row& into = merged[place->second];
      if (into.window.objects.front() == outside_world) { // the other object says more
        std::swap(into.window.name, row.window.name);
        std::swap(into.window.parts, row.window.parts);
        std::swap(into.window.objects, row.window.objects);
      }
      llvm::append_range(into.locations, row.locations);
      llvm::append_range(into.hints, row.hints);
      llvm::append_range(into.window.accesses, row.window.accesses);
      llvm::append_range(into.window.objects, row.window.objects);
    }
    rows_ = std::move(merged);
  }

  void finish(Row& row) {
    PlannedWindow& window = row.window;
    window.locations = uint32_t(row.locations.size());
    if (window.parts.size() > 1) window.name = window.objects.front();
    window.would_free = usual_hint(row);
    if (size_t others = window.objects.size() - 1) {
      window.name += " or " + std::to_string(others) + (others == 1 ? " other object" : " other objects");
      window.would_free =
          "knowing which of these objects the pointers used there lead to; for each: " + window.would_free;
    }
    window.accesses = ordered_accesses(std::move(window.accesses), ways_);
  }

  // What freeing windows would change, for the largest ones: the body is condensed again without them.
  void measure_regions() {
    constexpr size_t tried = 20;
    if (rows_.empty() || plan_.instructions <= 0) return;
    CutGraph graph = graph_;
    auto hottest = [&] {
      double heat = 0;
      for (const CutGroup& group : condense(graph, FootprintModel::PerVisit).groups)
        heat = std::max(heat, group.heat);
      return heat / plan_.instructions;
    };
    auto set_verdict = [&](const Row& row, const char* verdict) {
      for (uint32_t number : row.locations)
        graph.locations[number].verdict = verdict;
    };
    Condensed now = condense(graph, FootprintModel::PerVisit);
    double whole = hottest();
    for (Row& row : rows_) {
      uint32_t group = now.group_of[row.window.accesses.front().node];
      row.window.region_share = now.groups[group].heat / plan_.instructions;
      row.window.freed_alone = row.window.freed_with_larger = whole;
    }
    for (const Row& row : rows_)
      if (!row.window.ran) set_verdict(row, "freed");
    plan_.freed_rare = hottest();
    for (const Row& row : rows_)
      set_verdict(row, "window");
    size_t count = std::min(tried, rows_.size());
    for (size_t w = 0; w != count; ++w) {
      set_verdict(rows_[w], "freed");
      rows_[w].window.freed_alone = hottest();
      set_verdict(rows_[w], "window");
    }
    for (size_t w = 0; w != count; ++w) {
      set_verdict(rows_[w], "freed");
      rows_[w].window.freed_with_larger = hottest();
    }
  }

  const CutGraph& graph_;
  const Condensed& nodes_; // one group per node
  BodyPlan& plan_;
  Ways ways_;
  llvm::BitVector in_any_;
  std::map<std::vector<uint32_t>, uint32_t> hull_by_nodes_; // accessing nodes -> hull
  std::map<std::vector<unsigned>, uint32_t> hull_numbers_;  // members -> index into hulls_
  std::vector<CutGroup> hulls_;                             // their weights
  std::map<std::tuple<std::string, std::string, uint32_t, bool>, uint32_t> row_of_;
  std::vector<Row> rows_;
};

} // namespace

void measure_windows(const CutGraph& graph, FootprintModel model, unsigned batch, BodyPlan& plan) {
  // One group per node: only the weights are of interest here.
  CutGraph weights;
  weights.nodes = graph.nodes;
  weights.entry = graph.entry;
  weights.lines = graph.lines;
  weights.witnesses = graph.witnesses;
  Condensed nodes = condense(weights, model, batch);
  plan.shared_locations = uint32_t(graph.locations.size());
  plan.packets = graph.nodes.empty() ? 0 : graph.nodes[graph.entry].visits;
  CodeLines lines(nodes.lines);
  for (const CutGroup& group : nodes.groups) {
    plan.instructions += group.heat;
    plan.static_lines += group.static_lines;
    lines.add(group.lines);
  }
  plan.footprint = lines.of_batch(nodes.weights);
  WindowTable(graph, nodes, plan).fill();
}

} // namespace heddle
