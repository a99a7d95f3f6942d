// Small body graphs for the planner's tests.
#pragma once

#include "plan/plan.h"

#include <random>

namespace heddle::test {

// Gives the node so many lines of its own in place of those it has, which `part` of the packets run.
inline void set_lines(CutGraph& graph, uint32_t node, unsigned count, double part = 1) {
  graph.witnesses = most_witnesses;
  Witnesses ran;
  for (unsigned witness = 0; witness < part * most_witnesses; ++witness)
    ran.set(witness);
  graph.nodes[node].lines.clear();
  while (count-- != 0)
    graph.nodes[node].lines.push_back({graph.lines++, ran});
}

// Visits: of a hundred packets, if the node is not in a loop.
inline uint32_t add_node(CutGraph& graph, unsigned cost, double heat, uint64_t visits = 100) {
  CutNode node;
  node.block = uint32_t(graph.nodes.size());
  node.function = "f";
  node.at = "f.c:" + std::to_string(10 * (graph.nodes.size() + 1));
  node.heat = heat;
  node.visits = visits;
  node.static_lines = cost;
  graph.nodes.push_back(node);
  set_lines(graph, node.block, cost, std::min(1.0, double(visits) / double(graph.nodes[0].visits)));
  return node.block;
}

inline void add_edge(CutGraph& graph, uint32_t from, uint32_t to, double crossings = 1) {
  CutEdge edge;
  edge.from = from;
  edge.to = to;
  edge.site_from = graph.nodes[from].block;
  edge.site_to = graph.nodes[to].block;
  edge.crossings = crossings;
  graph.edges.push_back(edge);
}

inline void add_window(CutGraph& graph, std::string name, std::initializer_list<uint32_t> nodes) {
  SharedLocation location;
  location.name = std::move(name);
  location.verdict = "window";
  location.reason = "written and read";
  location.would_free = "commutative, if f.c:10 did not read it";
  for (uint32_t node : nodes)
    location.accesses.push_back({node, true, "f", graph.nodes[node].at});
  graph.locations.push_back(location);
}

// Datagrams taken at the one node, output made at the other.
inline void add_received_ahead(CutGraph& graph, uint32_t receive, uint32_t output) {
  SharedLocation location;
  location.name = "datagrams received against output";
  location.verdict = "received-ahead";
  for (uint32_t node : {receive, output}) {
    location.accesses.push_back({node, true, "f", graph.nodes[node].at});
    location.accesses.back().receives = node == receive;
  }
  graph.locations.push_back(location);
}

// A straight line of blocks, `cost` lines and 10 instructions each.
inline CutGraph chain(unsigned length, unsigned cost) {
  CutGraph graph;
  graph.body = "heddle.body.0";
  graph.contexts.push_back({0, 0, "heddle.body.0"});
  for (unsigned n = 0; n != length; ++n)
    add_node(graph, cost, 10);
  for (unsigned n = 1; n != length; ++n)
    add_edge(graph, n - 1, n);
  graph.exits = {length - 1};
  return graph;
}

// Figure 5 of the NanoPL paper: weights of B0 to B4 as in its text (B0 and B1 together S = 4 and H = 9), B5
// to B7 chosen such that the figure's two outcomes follow.
inline CutGraph figure_5() {
  CutGraph graph;
  graph.body = "heddle.body.0";
  graph.contexts.push_back({0, 0, "heddle.body.0"});
  const std::pair<unsigned, double> weights[] = {{2, 4},  {2, 5}, {1, 2}, {3, 3},
                                                 {4, 10}, {6, 8}, {4, 7}, {5, 6}};
  for (auto [cost, heat] : weights)
    add_node(graph, cost, heat);
  add_edge(graph, 0, 1, 1);
  add_edge(graph, 1, 2, 0.8);
  add_edge(graph, 1, 3, 0.2);
  add_edge(graph, 2, 4, 0.8);
  add_edge(graph, 3, 5, 0.2);
  add_edge(graph, 4, 5, 0.8);
  add_edge(graph, 5, 6, 1);
  add_edge(graph, 6, 7, 1);
  graph.exits = {7};
  return graph;
}

// Forward edges, a few loops, a few windows, cold code.
inline CutGraph random_graph(uint64_t seed, unsigned nodes) {
  std::mt19937_64 random(seed);
  auto below = [&](uint64_t n) { return uint32_t(random() % n); };
  CutGraph graph;
  graph.body = "heddle.body.0";
  graph.contexts.push_back({0, 0, "heddle.body.0"});
  add_node(graph, 1 + below(8), 1 + below(40), 1000);
  for (unsigned n = 1; n != nodes; ++n) {
    bool cold = below(4) == 0;
    add_node(graph, cold ? 0 : 1 + below(8), cold ? 0 : 1 + below(40), cold ? 0 : 1 + below(1000));
    graph.nodes.back().static_lines = 1 + below(8);
    add_edge(graph, below(n), n, cold ? 0 : 0.5);
    if (below(2)) add_edge(graph, below(n), n, cold ? 0 : 0.25);
  }
  for (unsigned loops = nodes / 20; loops--;) {
    uint32_t a = below(nodes), b = std::min<uint32_t>(a + below(5), nodes - 1);
    add_edge(graph, b, a, 0.1);
  }
  for (unsigned windows = nodes / 15; windows--;) {
    uint32_t a = below(nodes);
    add_window(graph, "w" + std::to_string(windows), {a, std::min<uint32_t>(a + below(6), nodes - 1)});
  }
  graph.exits = {nodes - 1};
  return graph;
}

} // namespace heddle::test
