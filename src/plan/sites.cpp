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

#include "plan/sites.h"

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
      unsigned here = std::max(stages[node], edge_stage[e]);
      unsigned merged = stages[to] == unreached ? here : pick(stages[to], here);
      if (merged == stages[to]) continue;
      stages[to] = merged;
      work.push_back(to);
    }
  }
  return stages;
}

llvm::Error place_sites(const CutGraph& graph, const std::vector<PlannedSite>& sites,
                        std::vector<unsigned>& edge_stage) {
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
      if (!edge.site_possible) return diagnose("there is no place for " + describe(site), hint);
      if (loops.group_of[edge.from] == loops.group_of[edge.to])
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

llvm::Error check_window(const SharedLocation& location, const std::vector<unsigned>& low,
                         const std::vector<unsigned>& high, const std::vector<PlannedSite>& sites) {
  const LocationAccess *first = nullptr, *last = nullptr;
  for (const LocationAccess& access : location.accesses) {
    if (low[access.node] == unreached) continue;
    if (!first || low[access.node] < low[first->node]) first = &access;
    if (!last || high[access.node] > high[last->node]) last = &access;
  }
  if (!first || low[first->node] == high[last->node]) return llvm::Error::success();
  return diagnose(site_into(sites, high[last->node]) + " divides the window of " + location.name +
                      ": accessed at " + first->at + " in stage " + Twine(low[first->node]) + " and at " +
                      last->at + " in stage " + Twine(high[last->node]),
                  "remove that site, or move the cut before the first access or behind the last");
}

} // namespace

std::vector<PlannedSite> sites_of(const CutGraph& graph, const std::vector<unsigned>& node_stages) {
  std::map<SiteEdge, PlannedSite> sites;
  for (const CutEdge& edge : graph.edges) {
    if (node_stages[edge.from] >= node_stages[edge.to]) continue;
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

llvm::Expected<std::vector<unsigned>> stages_of(const CutGraph& graph,
                                                const std::vector<PlannedSite>& sites) {
  std::vector<unsigned> edge_stage(graph.edges.size());
  if (llvm::Error error = place_sites(graph, sites, edge_stage)) return std::move(error);
  auto lower = [](unsigned a, unsigned b) { return std::min(a, b); };
  auto higher = [](unsigned a, unsigned b) { return std::max(a, b); };
  std::vector<unsigned> low = propagate(graph, edge_stage, lower);
  std::vector<unsigned> high = propagate(graph, edge_stage, higher);
  for (const SharedLocation& location : graph.locations)
    if (location.verdict == "window")
      if (llvm::Error error = check_window(location, low, high, sites)) return std::move(error);
  for (unsigned& stage : high)
    if (stage == unreached) stage = 0;
  return high;
}

std::vector<PlannedStage> stages_table(const CutGraph& graph, const Condensed& condensed,
                                       const std::vector<unsigned>& node_stages) {
  unsigned last = node_stages.empty() ? 0 : *std::max_element(node_stages.begin(), node_stages.end());
  std::vector<PlannedStage> table(last + 1);
  for (const CutGroup& group : condensed.groups) {
    PlannedStage& stage = table[node_stages[group.nodes.front()]];
    stage.cost += group.cost;
    stage.heat += group.heat;
    stage.blocks += uint32_t(group.nodes.size());
  }
  for (const CutEdge& edge : graph.edges)
    if (node_stages[edge.from] < node_stages[edge.to])
      table[node_stages[edge.from]].crossings += edge.crossings;
  return table;
}

llvm::Error check_plan(const BodyPlan& plan, const CutGraph& graph) {
  if (plan.body != graph.body)
    return diagnose("the plan is for " + plan.body + ", not for " + graph.body, "make the plan again");
  auto same = [](const CutContext& a, const CutContext& b) {
    return a.parent == b.parent && a.call_block == b.call_block && a.function == b.function;
  };
  if (!std::ranges::equal(plan.contexts, graph.contexts, same))
    return diagnose("the plan opens other calls of " + graph.body + " than the profile gives",
                    "contexts cannot be edited, and the profile has to be the one that the plan was made "
                    "with; make the plan again with 'heddle plan'");
  return stages_of(graph, plan.sites).takeError();
}

} // namespace heddle
