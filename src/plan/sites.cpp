// Sites and their check.
//
// An edited plan is checked by what the runtime does with it, not by how it was made. The runtime keeps one
// number per packet; crossing a site raises it to the site's stage, or does nothing when the packet has
// passed that stage. So the number that a packet can have at a node lies between
//   low(n)  = min over paths to n of the highest site on the path, and
//   high(n) = max over paths to n of the highest site on the path.
// Both are fixed points over the graph's edges. A window is whole when, over all its accesses, every low and
// every high are the same number: then all packets access the location in one stage. Where low and high
// differ outside of windows (a site on one branch only), the plan is unusual but sound.
//
// Rare code: low and high speak of packets that are not alone. A packet that became alone in stage k, there or
// anywhere before, may access a location only if no other packet's common access that conflicts can lie in a
// stage before k: alone(n) is the highest such k at node n.

#include "plan/sites.h"

#include "plan/hide.h"
#include "plan/keyed.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace heddle {

using llvm::Twine;

namespace {

using SiteEdge = std::tuple<uint32_t, uint32_t, uint32_t>; // context, from, to

SiteEdge site_edge_of(const CutEdge& edge) {
  return {edge.site_context, edge.site_from, edge.site_to};
}

std::string describe(const PlannedSite& site) {
  return ("the site of stage " + Twine(site.stage) + " at " + (site.at.empty() ? "?" : site.at) + " in " +
          (site.function.empty() ? "?" : site.function) + " (context " + Twine(site.context) + ", block " +
          Twine(site.from) + " to " + Twine(site.to) + ")")
      .str();
}

constexpr unsigned unreached = UINT32_MAX;

// Fixed point of stage(to) = pick(stage(to), max(stage(from), site)), from the entry on.
template <typename Pick>
std::vector<unsigned> propagate(const CutGraph& graph, const std::vector<unsigned>& edge_stage, Pick pick) {
  std::vector<std::vector<uint32_t>> out(graph.nodes.size());
  for (uint32_t e = 0; e != graph.edges.size(); ++e)
    out[graph.edges[e].from].push_back(e);
  std::vector<unsigned> stages(graph.nodes.size(), unreached);
  std::deque<uint32_t> work;
  if (!stages.empty()) {
    stages[graph.entry] = 0;
    work.push_back(graph.entry);
  }
  while (!work.empty()) {
    uint32_t node = work.front();
    work.pop_front();
    for (uint32_t e : out[node]) {
      uint32_t to = graph.edges[e].to;
      if (graph.nodes[to].rare) continue;
      unsigned here = std::max(stages[node], edge_stage[e]);
      unsigned merged = stages[to] == unreached ? here : pick(stages[to], here);
      if (merged == stages[to]) continue;
      stages[to] = merged;
      work.push_back(to);
    }
  }
  return stages;
}

// Per node, one more than the highest stage in which a packet that runs it alone may have become so; 0: none does.
std::vector<unsigned> alone_from(const CutGraph& graph, const std::vector<unsigned>& high) {
  std::vector<std::vector<uint32_t>> out(graph.nodes.size());
  for (const CutEdge& edge : graph.edges)
    out[edge.from].push_back(edge.to);
  std::vector<unsigned> alone(graph.nodes.size());
  std::vector<uint32_t> work;
  auto raise = [&](uint32_t node, unsigned to) {
    if (alone[node] >= to) return;
    alone[node] = to;
    work.push_back(node);
  };
  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    if (high[n] == unreached) continue;
    if (graph.nodes[n].rare_inside) raise(n, high[n] + 1);
    for (uint32_t to : out[n])
      if (graph.nodes[to].rare) raise(to, high[n] + 1);
  }
  while (!work.empty()) {
    uint32_t node = work.back();
    work.pop_back();
    for (uint32_t to : out[node])
      raise(to, alone[node]);
  }
  return alone;
}

// Is it one at which a packet waits for memory? Such may lie in a loop.
bool follows_hidden_load(const PlannedSite& site, llvm::ArrayRef<PlannedLoad> loads) {
  return llvm::any_of(loads, [&](const PlannedLoad& load) {
    return load.hidden && load.with.empty() && load.context == site.context && load.block == site.from;
  });
}

llvm::Error place_sites(const CutGraph& graph, const std::vector<PlannedSite>& sites,
                        llvm::ArrayRef<PlannedLoad> loads, std::vector<unsigned>& edge_stage) {
  std::map<SiteEdge, std::vector<uint32_t>> edges;
  for (uint32_t e = 0; e != graph.edges.size(); ++e)
    edges[site_edge_of(graph.edges[e])].push_back(e);
  CutGraph plain = graph;
  plain.locations.clear();
  Condensed loops = condense(plain);
  const char* hint = "compare with the sites that 'heddle plan' writes, or make the plan again";
  for (const PlannedSite& site : sites) {
    auto found = edges.find({site.context, site.from, site.to});
    if (found == edges.end()) return diagnose(describe(site) + " lies on no edge of the body", hint);
    if (site.stage == 0) return diagnose(describe(site) + " enters stage 0, where every packet starts", hint);
    for (uint32_t e : found->second) {
      const CutEdge& edge = graph.edges[e];
      bool rare = graph.nodes[edge.from].rare || graph.nodes[edge.to].rare;
      if (rare) return diagnose(describe(site) + " lies in rare code, where packets run alone", hint);
      if (!edge.site_possible) return diagnose("there is no place for " + describe(site), hint);
      if (loops.group_of[edge.from] == loops.group_of[edge.to] && !follows_hidden_load(site, loads))
        return diagnose(describe(site) + " lies inside a loop", "move it before or behind the loop");
      edge_stage[e] = std::max(edge_stage[e], site.stage);
    }
  }
  return llvm::Error::success();
}

// The site that a packet crosses into `stage`: the one to name when a window is divided there.
std::string site_into(const std::vector<PlannedSite>& sites, unsigned stage) {
  auto found = llvm::find_if(sites, [&](const PlannedSite& site) { return site.stage == stage; });
  return found == sites.end() ? "a site of stage " + std::to_string(stage) : describe(*found);
}

// What the packets of an edited plan can be in at each node.
struct Ranges {
  std::vector<unsigned> low, high, alone;
};

llvm::Error check_window(const SharedLocation& location, const Ranges& ranges,
                         const std::vector<PlannedSite>& sites) {
  const LocationAccess *first = nullptr, *last = nullptr;
  for (const LocationAccess& access : location.accesses) {
    if (access.rare || ranges.low[access.node] == unreached) continue;
    if (!first || ranges.low[access.node] < ranges.low[first->node]) first = &access;
    if (!last || ranges.high[access.node] > ranges.high[last->node]) last = &access;
  }
  if (!first || ranges.low[first->node] == ranges.high[last->node]) return llvm::Error::success();
  return diagnose(site_into(sites, ranges.high[last->node]) + " divides the window of " + location.name +
                      ": accessed at " + first->at.str() + " in stage " + Twine(ranges.low[first->node]) +
                      " and at " + last->at.str() + " in stage " + Twine(ranges.high[last->node]),
                  "remove that site, or move the cut before the first access or behind the last");
}

// No access of a packet that is alone may pass a common one of a later packet, done in a stage already behind.
llvm::Error check_alone(const SharedLocation& location, const Ranges& ranges,
                        const std::vector<PlannedSite>& sites) {
  const LocationAccess* earliest[2] = {}; // common accesses: any, and those that write
  const LocationAccess* latest[2] = {};   // of packets that are alone: likewise
  const bool keyed = location.verdict == "keyed";
  for (const LocationAccess& access : location.accesses)
    for (bool write : {false, true}) {
      if (write && !access.write) continue;
      const LocationAccess*& early = earliest[write];
      if (!access.rare && ranges.low[access.node] != unreached &&
          (!early || ranges.low[access.node] < ranges.low[early->node]))
        early = &access;
      const LocationAccess*& late = latest[write];
      if (keyed && (!access.rare || access.claimed)) continue; // behind a claim: check_order
      if (ranges.alone[access.node] && (!late || ranges.alone[access.node] > ranges.alone[late->node]))
        late = &access;
    }
  for (bool write : {false, true}) { // does the common one write? One of the two has to
    const LocationAccess *early = earliest[write], *late = latest[!write];
    if (!early || !late || ranges.low[early->node] + 1 >= ranges.alone[late->node]) continue;
    return diagnose(site_into(sites, ranges.alone[late->node] - 1) + " lets the access to " + location.name +
                        " at " + early->at.str() + " pass the one on a rare path at " + late->at.str() +
                        " of an earlier packet",
                    "remove that site, or plan with --without rare-path");
  }
  return llvm::Error::success();
}

// No output may pass an earlier packet's receive.
llvm::Error check_received(const SharedLocation& location, const Ranges& ranges,
                           const std::vector<PlannedSite>& sites) {
  const LocationAccess *output = nullptr, *receive = nullptr;
  unsigned earliest = unreached, latest = 0;
  for (const LocationAccess& access : location.accesses) {
    const uint32_t node = access.node;
    if (access.receives) { // one more than its stage
      const unsigned stage =
          std::max(ranges.alone[node], ranges.high[node] == unreached ? 0 : ranges.high[node] + 1);
      if (stage <= latest) continue;
      latest = stage;
      receive = &access;
    } else if (ranges.low[node] < earliest) {
      earliest = ranges.low[node];
      output = &access;
    }
  }
  if (!output || !receive || earliest + 1 >= latest) return llvm::Error::success();
  return diagnose(site_into(sites, latest - 1) + " lets the output at " + output->at.str() +
                      " pass the receive at " + receive->at.str() + " of an earlier packet",
                  "remove that site, or plan with --without received-ahead");
}

} // namespace

std::vector<PlannedSite> sites_of(const CutGraph& graph, const std::vector<unsigned>& node_stages) {
  std::map<SiteEdge, PlannedSite> sites;
  for (const CutEdge& edge : graph.edges) {
    if (node_stages[edge.from] >= node_stages[edge.to]) continue;
    if (graph.nodes[edge.from].rare || graph.nodes[edge.to].rare) continue; // nobody is suspended there
    PlannedSite& site = sites[site_edge_of(edge)];
    std::tie(site.context, site.from, site.to) = site_edge_of(edge);
    site.stage = node_stages[edge.to];
    site.function = graph.nodes[edge.to].function;
    site.at = graph.nodes[edge.to].at;
  }
  std::vector<PlannedSite> result;
  for (auto& [place, site] : sites)
    result.push_back(std::move(site));
  llvm::sort(result, [](const PlannedSite& a, const PlannedSite& b) {
    return std::tie(a.stage, a.context, a.from, a.to) < std::tie(b.stage, b.context, b.from, b.to);
  });
  return result;
}

static llvm::Expected<Ranges> ranges_of(const CutGraph& graph, const std::vector<PlannedSite>& sites,
                                        llvm::ArrayRef<PlannedLoad> loads) {
  std::vector<unsigned> edge_stage(graph.edges.size());
  if (llvm::Error error = place_sites(graph, sites, loads, edge_stage)) return std::move(error);
  auto lower = [](unsigned a, unsigned b) { return std::min(a, b); };
  auto higher = [](unsigned a, unsigned b) { return std::max(a, b); };
  Ranges ranges;
  ranges.low = propagate(graph, edge_stage, lower);
  ranges.high = propagate(graph, edge_stage, higher);
  ranges.alone = alone_from(graph, ranges.high);
  for (const SharedLocation& location : graph.locations) {
    if (location.verdict == "window")
      if (llvm::Error error = check_window(location, ranges, sites)) return std::move(error);
    if (location.verdict == "window" || location.verdict == "rare-path" || location.verdict == "keyed")
      if (llvm::Error error = check_alone(location, ranges, sites)) return std::move(error);
    if (location.verdict == "received-ahead")
      if (llvm::Error error = check_received(location, ranges, sites)) return std::move(error);
  }
  return ranges;
}

llvm::Expected<std::vector<unsigned>> stages_of(const CutGraph& graph, const std::vector<PlannedSite>& sites,
                                                llvm::ArrayRef<PlannedLoad> loads) {
  auto ranges = ranges_of(graph, sites, loads);
  if (!ranges) return ranges.takeError();
  for (unsigned& stage : ranges->high)
    if (stage == unreached) stage = 0;
  return std::move(ranges->high);
}

// The order that the sites give, against that of the plan.
static llvm::Error check_order(const BodyPlan& plan, const CutGraph& graph, const Ranges& ranges) {
  Ranges all = ranges; // a packet that is alone stays in the stage in which it became so
  for (size_t n = 0; n != graph.nodes.size(); ++n)
    if (graph.nodes[n].rare && all.alone[n] > 0) all.low[n] = all.high[n] = all.alone[n] - 1;
  KeyedOrder order = keyed_order(graph, {all.low, all.high});
  if (!order.problem.empty())
    return diagnose(order.problem, "keep a cut between the two, or plan with --without keyed",
                    order.problem_at);
  auto covers = [](const KeyRange& wanted) {
    return [&](const KeyRange& given) {
      return given.key == wanted.key && given.first <= wanted.first && wanted.last <= given.last &&
             wanted.claimed <= given.claimed;
    };
  };
  const char* hint =
      "a range may be longer and more stages ordered than need be, not fewer; or make the plan again";
  for (const KeyRange& wanted : order.keys)
    if (llvm::none_of(plan.keys, covers(wanted)))
      return diagnose("the plan's sites need the key " + wanted.name + " from stage " + Twine(wanted.first) +
                          " to stage " + Twine(wanted.last) + ", claimed in stages up to " +
                          Twine(wanted.claimed),
                      hint);
  for (size_t s = 0; !plan.keys.empty() && s != order.ordered.size(); ++s)
    if (order.ordered[s] && s < plan.stages.size() && !plan.stages[s].ordered)
      return diagnose("packets have to pass stage " + Twine(s) + " in packet order, and the plan has it free",
                      hint);
  return llvm::Error::success();
}

std::vector<PlannedStage> stages_table(const CutGraph& graph, const Condensed& condensed,
                                       const std::vector<unsigned>& node_stages) {
  unsigned last = node_stages.empty() ? 0 : *std::max_element(node_stages.begin(), node_stages.end());
  std::vector<PlannedStage> table(last + 1);
  std::vector<CodeLines> lines(table.size(), CodeLines(condensed.lines));
  for (const CutGroup& group : condensed.groups) {
    const unsigned number = node_stages[group.nodes.front()];
    PlannedStage& stage = table[number];
    lines[number].add(group.lines);
    stage.largest = std::max(stage.largest, group.cost);
    stage.heat += group.heat;
    stage.blocks += uint32_t(group.nodes.size());
  }
  for (size_t s = 0; s != table.size(); ++s)
    table[s].cost = lines[s].of_batch(condensed.weights);
  for (const CutEdge& edge : graph.edges)
    if (node_stages[edge.from] < node_stages[edge.to] && !graph.nodes[edge.from].rare &&
        !graph.nodes[edge.to].rare)
      table[node_stages[edge.from]].crossings += edge.crossings;
  return table;
}

llvm::Error check_plan(const BodyPlan& plan, const CutGraph& graph) {
  if (plan.body != graph.body)
    return diagnose("the plan is for " + plan.body + ", not for " + graph.body, "make the plan again");
  if (plan.gates != graph.gates)
    return diagnose(
        "the plan has other gates than the profile gives",
        "gates cannot be edited, and the profile has to be the one that the plan was made with; make "
        "the plan again with 'heddle plan'");
  auto same_call = [](const DeferredCall& a, const DeferredCall& b) {
    return a.block == b.block && a.call == b.call && a.callee == b.callee;
  };
  if (!std::ranges::equal(plan.deferred, graph.deferred, same_call))
    return diagnose(
        "the plan defers other output of " + graph.body + " than the analysis allows",
        "deferred calls cannot be edited; make the plan again, without any: 'heddle plan --without "
        "deferred-output'");
  auto same = [](const CutContext& a, const CutContext& b) {
    return a.parent == b.parent && a.call_block == b.call_block && a.function == b.function;
  };
  if (!std::ranges::equal(plan.contexts, graph.contexts, same))
    return diagnose("the plan opens other calls of " + graph.body + " than the profile gives",
                    "contexts cannot be edited, and the profile has to be the one that the plan was made "
                    "with; make the plan again with 'heddle plan'");
  CutGraph usable = graph;
  if (plan.interleaved)
    without_keys(usable);
  else
    drop_hopeless_keys(usable);
  auto ranges = ranges_of(usable, plan.sites, plan.loads);
  if (!ranges) return ranges.takeError();
  if (plan.interleaved) return check_hiding(plan, usable, ranges->low, ranges->high);
  return check_order(plan, usable, *ranges);
}

} // namespace heddle
