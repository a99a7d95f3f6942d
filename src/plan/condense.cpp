// Which cuts are legal, as a graph without cycles.
//
// Problem. A plan gives every node of the body a stage. It is legal when
//   (1) no edge leads to a lower stage: a packet goes through its stages in order, and
//   (2) all nodes that access one location with a window have the same stage: then packets that pass the
//   stage
//       in packet order access the location in packet order (design, "When a cut is legal").
// The runtime puts a site on every edge where the number rises.
//
// Choice. Write (1) as from <= to, (2) as equalities (<= in both directions between each access and the first
// one), and edges that have no place for a site as equalities too. The strongly connected components of this
// constraint graph are the groups: inside one, every labelling gives all nodes the same number. Between them
// the graph has no cycle, and the legal labellings are exactly the monotone labellings of that DAG; the sets
// "stage < k" are its down-sets. So a search that only ever takes whole groups whose predecessors are taken
// meets legal cuts only, and the paper's "fall back when the cut is not safe" (NanoPL section 5.2) has
// nothing left to undo.
//
// Why the component is the window's hull. Let a and c access the location and let b lie on a path from a to
// c. Then stage(a) <= stage(b) <= stage(c) = stage(a): b belongs to the window though it accesses nothing.
// The component holds b because a -> .. -> b -> .. -> c -> a is a cycle of constraints. Nothing else is
// forced: numbering the components of any condensation in topological order keeps all constraints, so no
// smaller set of nodes can be merged without losing a legal plan, and no larger one is needed. Windows that
// overlap, or that share a loop, fall into one component by themselves.
//
// Accesses on mutually exclusive branches. No packet runs both, but two packets may run one each, and packet
// 2's early one would pass packet 1's late one. So they are made equal like any others; the branches' other
// code is free, because no path joins them.
//
// Packets that skip stages. An edge may rise by more than one, and a packet may leave the body early. The
// runtime runs the waiting packets of the lowest stage first, so when a stage starts, every packet that will
// ever run it is waiting for it or has passed its turn: packet order within a stage is kept.
//
// Loops. A cycle of edges is one component, so no cut lies inside a loop and every path crosses a cut at most
// once.
//
// Rare paths. A packet enters rare code alone and stays alone to its end, so rare accesses belong to no window.
// What is left of (2) for a rare access a and a common access b that conflict with it: later packets may have
// done b in a stage already behind, so stage(a) <= stage(b), where stage(a) is at least the stage in which a's
// packet became alone. Edges at rare nodes need no site for the number to rise: nobody is suspended there. Where
// several rare writers face several common accesses, a node of its own stands between them.
//
// Datagrams that are received ahead of earlier packets' output: a receive must not come after a later packet's output,
// so stage(receive) <= stage(output), in the same way.
//
// Keys: a claim comes before the accesses of its key that need it, stage(claim) <= stage(access); keyed.cpp has the rest.
// A rare access of a keyed location that no claim precedes is as one of a window.
//
// The components come from Tarjan's algorithm with an explicit stack (bodies have tens of thousands of
// nodes). It numbers components in reverse topological order, so no sort is needed.

#include "plan/condense.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle {

namespace {

using Adjacency = std::vector<std::vector<uint32_t>>;

// Nodes from graph.nodes.size() on are those between rare writers and common accesses, or claims and those; `location`: of which
// location each of them is.
Adjacency constraints(const CutGraph& graph, std::vector<uint32_t>* location_of = nullptr) {
  Adjacency successors(graph.nodes.size());
  for (const CutEdge& edge : graph.edges) {
    successors[edge.from].push_back(edge.to);
    bool needs_site = !graph.nodes[edge.from].rare && !graph.nodes[edge.to].rare;
    if (!edge.site_possible && needs_site) successors[edge.to].push_back(edge.from);
  }
  uint32_t current = 0;
  auto put_before = [&](const std::vector<uint32_t>& first, std::vector<uint32_t> then) {
    if (first.empty()) return;
    const uint32_t between = uint32_t(successors.size());
    for (uint32_t node : first)
      successors[node].push_back(between);
    successors.push_back(std::move(then));
    if (location_of) location_of->push_back(current);
  };
  for (const SharedLocation& location : graph.locations) {
    current = uint32_t(&location - graph.locations.data());
    const bool window = location.verdict == "window", ahead = location.verdict == "received-ahead",
               keyed = location.verdict == "keyed";
    if (!window && !ahead && !keyed && location.verdict != "rare-path") continue;
    std::vector<uint32_t> common, rare, claimed;
    for (const LocationAccess& access : location.accesses) {
      if (ahead)
        (access.receives ? rare : common).push_back(access.node);
      else if (!access.rare)
        common.push_back(access.node);
      else if (keyed ? !access.claimed : window || access.write)
        rare.push_back(access.node);
      if (keyed && !access.rare && !access.fresh) claimed.push_back(access.node);
    }
    if (keyed) {
      const CutKey& key = graph.keys[location.key];
      put_before(key.claims, std::move(claimed));
      rare.insert(rare.end(), key.rare_claims.begin(), key.rare_claims.end());
    }
    if (common.empty()) continue;
    if (window) {
      for (uint32_t node : llvm::ArrayRef(common).drop_front()) {
        successors[common.front()].push_back(node);
        successors[node].push_back(common.front());
      }
      common.resize(1);
    }
    put_before(rare, std::move(common));
  }
  return successors;
}

// Tarjan's strongly connected components; numbers them in reverse topological order.
class Components {
public:
  explicit Components(const Adjacency& successors)
      : of(successors.size(), unset), successors_(successors), index_(successors.size(), unset),
        low_(successors.size()) {
    for (uint32_t n = 0; n != successors.size(); ++n)
      if (index_[n] == unset) visit(n);
  }

  std::vector<uint32_t> of;
  uint32_t count = 0;

private:
  static constexpr uint32_t unset = UINT32_MAX;
  struct Frame {
    uint32_t node;
    size_t next;
  };

  void open(uint32_t node) {
    index_[node] = low_[node] = next_index_++;
    pending_.push_back(node);
    frames_.push_back({node, 0});
  }

  void close(uint32_t node) {
    if (low_[node] != index_[node]) return;
    uint32_t member;
    do {
      member = pending_.back();
      pending_.pop_back();
      of[member] = count;
    } while (member != node);
    ++count;
  }

  void visit(uint32_t root) {
    open(root);
    while (!frames_.empty()) {
      uint32_t node = frames_.back().node;
      if (frames_.back().next != successors_[node].size()) {
        uint32_t to = successors_[node][frames_.back().next++];
        if (index_[to] == unset)
          open(to);
        else if (of[to] == unset)
          low_[node] = std::min(low_[node], index_[to]);
        continue;
      }
      frames_.pop_back();
      close(node);
      if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
    }
  }

  const Adjacency& successors_;
  std::vector<uint32_t> index_, low_;
  std::vector<uint32_t> pending_;
  std::vector<Frame> frames_;
  uint32_t next_index_ = 0;
};

void add_node(CutGroup& group, uint32_t number, const CutNode& node) {
  group.nodes.push_back(number);
  llvm::append_range(group.lines, node.lines);
  group.static_lines += node.static_lines;
  group.heat += node.heat;
  group.visits = std::max(group.visits, node.visits);
}

void unite(std::vector<LineUse>& lines) {
  llvm::sort(lines, [](const LineUse& a, const LineUse& b) { return a.line < b.line; });
  size_t kept = 0;
  for (const LineUse& use : lines)
    if (kept != 0 && lines[kept - 1].line == use.line)
      lines[kept - 1].ran |= use.ran;
    else
      lines[kept++] = use;
  lines.resize(kept);
}

// Links for the edges between groups, and, without crossings or sites, for the other constraints.
void link_groups(const CutGraph& graph, const Adjacency& successors, Condensed& condensed) {
  std::map<std::pair<uint32_t, uint32_t>, CutLink> links;
  auto link_of = [&](uint32_t from, uint32_t to) {
    CutLink& link = links[{from, to}];
    link.from = from;
    link.to = to;
    return &link;
  };
  for (const CutEdge& edge : graph.edges) {
    uint32_t from = condensed.group_of[edge.from], to = condensed.group_of[edge.to];
    if (from == to) continue;
    CutLink* link = link_of(from, to);
    if (graph.nodes[edge.from].rare || graph.nodes[edge.to].rare) continue;
    link->crossings += edge.crossings;
    ++link->edges;
  }
  for (uint32_t node = 0; node != graph.nodes.size(); ++node)
    for (uint32_t between : successors[node])
      if (between >= graph.nodes.size())
        for (uint32_t to : successors[between])
          if (condensed.group_of[node] != condensed.group_of[to])
            link_of(condensed.group_of[node], condensed.group_of[to]);
  for (const auto& [key, link] : links) {
    condensed.groups[link.from].out.push_back(uint32_t(condensed.links.size()));
    condensed.groups[link.to].in.push_back(uint32_t(condensed.links.size()));
    condensed.links.push_back(link);
  }
}

} // namespace

Condensed condense(const CutGraph& graph, FootprintModel model, unsigned batch) {
  Adjacency successors = constraints(graph);
  Components components(successors);
  Condensed condensed{{}, {}, {}, graph.lines, graph.witnesses, {graph.witnesses, model, batch}};
  // Topological order; components that only hold nodes between are no groups.
  std::vector<uint32_t> group_of(components.count, UINT32_MAX);
  for (uint32_t n = 0; n != graph.nodes.size(); ++n)
    group_of[components.count - 1 - components.of[n]] = 0;
  uint32_t groups = 0;
  for (uint32_t& group : group_of)
    if (group == 0) group = groups++;
  condensed.groups.resize(groups);
  condensed.group_of.resize(graph.nodes.size());
  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    uint32_t group = group_of[components.count - 1 - components.of[n]];
    condensed.group_of[n] = group;
    add_node(condensed.groups[group], n, graph.nodes[n]);
  }
  for (CutGroup& group : condensed.groups) {
    unite(group.lines);
    for (const LineUse& use : group.lines)
      group.cost += condensed.weights.of_batch(use.ran);
  }
  link_groups(graph, successors, condensed);
  return condensed;
}

CodeLines Condensed::lines_of(llvm::ArrayRef<uint32_t> chosen) const {
  CodeLines result(lines);
  for (uint32_t group : chosen)
    result.add(groups[group].lines);
  return result;
}

std::vector<CodeLines> Condensed::lines_by_stage(llvm::ArrayRef<unsigned> stages) const {
  std::vector<CodeLines> result;
  for (size_t group = 0; group != stages.size(); ++group) {
    while (result.size() <= stages[group])
      result.emplace_back(lines);
    result[stages[group]].add(groups[group].lines);
  }
  return result;
}

// One step of two nodes that is none of the packets' ways.
static std::string describe_step(const CutGraph& graph, uint32_t from, uint32_t to) {
  const std::string between = graph.nodes[to].at + " and " + graph.nodes[from].at;
  for (const CutEdge& edge : graph.edges)
    if (edge.from == to && edge.to == from) return "no packet can be suspended between " + between;
  for (const SharedLocation& location : graph.locations) {
    auto touches = [&](uint32_t node) {
      return llvm::any_of(location.accesses,
                          [=](const LocationAccess& access) { return access.node == node; });
    };
    if (location.verdict == "window" && touches(from) && touches(to))
      return "the window of " + location.name + ", between " + between;
  }
  return "";
}

std::string what_binds(const CutGraph& graph, uint32_t from, uint32_t to) {
  constexpr uint32_t none = UINT32_MAX;
  std::vector<uint32_t> location_of;
  const Adjacency successors = constraints(graph, &location_of);
  std::vector<uint32_t> came_from(successors.size(), none), work{from};
  came_from[from] = from;
  for (size_t i = 0; i != work.size() && came_from[to] == none; ++i)
    for (uint32_t next : successors[work[i]])
      if (came_from[next] == none) {
        came_from[next] = work[i];
        work.push_back(next);
      }
  if (came_from[to] == none) return "";
  std::set<std::pair<uint32_t, uint32_t>> ways;
  for (const CutEdge& edge : graph.edges)
    ways.insert({edge.from, edge.to});
  const size_t nodes = graph.nodes.size();
  std::string told;
  for (uint32_t at = to; at != from; at = came_from[at]) { // the first such step is the last that is told
    const uint32_t before = came_from[at];
    if (before >= nodes) {
      const uint32_t first = came_from[before];
      told = graph.locations[location_of[before - nodes]].name + ", which packets that run alone touch at " +
             graph.nodes[first].at + " and others at " + graph.nodes[at].at;
    } else if (at < nodes && !ways.count({before, at})) {
      told = describe_step(graph, before, at);
    }
  }
  return told;
}

std::vector<unsigned> node_stages(const Condensed& condensed, const std::vector<unsigned>& group_stages) {
  std::vector<unsigned> stages(condensed.group_of.size());
  for (size_t n = 0; n != stages.size(); ++n)
    stages[n] = group_stages[condensed.group_of[n]];
  return stages;
}

} // namespace heddle
