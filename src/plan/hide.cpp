// Hiding is staging with one more kind of stage.
//
// A packet that steps aside at an expensive load lets later packets run the code before it, and earlier and later ones the
// code behind it. That is what packets of different stages do; what is new is that the load may lie in a loop, so a packet steps
// aside many times without leaving its stage. Such a stage is legal when nothing in it conflicts at all between packets: no location
// with a window is touched there. Anything else is as with cuts (condense.cpp): every numbering of its groups that never falls along
// a link keeps what has to be in packet order in one stage.
//
// So each group of nodes is ordered (it touches a location that packets write and share, or is where packets begin) or not, even
// stages take the ordered groups and odd ones those with loads. One pass in topological order gives each group the lowest stage
// that its links allow; a group without either takes what is there. An expensive load between two groups can be a cut like any
// other (what comes behind it is in a later stage), or lie within one free stage.
//
// Cuts for the instruction cache's sake (search.cpp) divide the body first, and each part is numbered so: to wait at such a cut is to
// wait before an ordered stage, which an interleaved body can do anyway. A load between two parts is hidden at the cut.
//
// Nobody looks at keys while packets run in one function: what is keyed is as if it were not (without_keys).
//
// Where the addresses of several loads are known at once, packets step aside for the first and find the others there (fetch_along()). A prefetch
// has no meaning, so that is legal wherever making the address is (program/address_slice.h), even for loads that packets make in order;
// but what they load to make it must not be what other packets write.
//
// A packet enters a free stage without waiting: it is in packet order where it comes from, and order does not matter where it
// goes. So sites into free stages that follow no load are there for the checker (src/verify/dependencies) alone.
#include "plan/hide.h"

#include "plan/condense.h"
#include "plan/keyed.h"
#include "plan/latency.h"
#include "plan/policy.h"
#include "plan/sites.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace heddle {

static constexpr unsigned most_lanes = 16;

namespace {

bool keeps_order(const SharedLocation& location) {
  static constexpr llvm::StringRef verdicts[] = {"window", "received-ahead", "rare-path"};
  return llvm::is_contained(verdicts, location.verdict);
}

// Functions that cannot become part of the body's have no room for a place to wait.
CutGraph without_room_elsewhere(CutGraph graph) {
  for (CutEdge& edge : graph.edges)
    edge.site_possible &= graph.contexts[edge.site_context].joins;
  without_keys(graph);
  return graph;
}

// Why no body with this graph can be interleaved; empty: it can.
std::string obstacle(const CutGraph& graph) {
  if (!graph.not_interleaved.empty()) return graph.not_interleaved;
  if (!graph.gates.empty()) return "the body has rare paths";
  if (!graph.deferred.empty()) return "the body puts output off";
  if (!graph.scratch.empty() || graph.own_errno) return "packets have copies of scratch variables";
  return "";
}

// Why the later load of the pair cannot be fetched where packets step aside for the earlier one; empty: it can.
std::string obstacle_of(const CutGraph& graph, const CutCompanion& companion) {
  if (!companion.obstacle.empty() || companion.reads.empty()) return companion.obstacle;
  for (const SharedLocation& location : graph.locations)
    for (const LocationAccess& access : location.accesses)
      if (keeps_order(location) && llvm::is_contained(companion.reads, access.node))
        return "its address is made in code that packets pass in order, because of " + location.name;
  return "";
}

class Hider {
public:
  Hider(const CutGraph& given, llvm::ArrayRef<OpenedLoad> opened, llvm::ArrayRef<unsigned> cut,
        const MemoryModel& model)
      : model_(model), opened_(opened), cut_(cut), graph_(without_room_elsewhere(given)),
        condensed_(condense(graph_)), ordered_by_(condensed_.groups.size()),
        ordered_behind_(condensed_.groups.size()) {}

  Hiding run(double instructions, double in_flight) {
    find_loads();
    if (loads_.empty()) return std::move(result_);
    find_ordered();
    for (const Load& load : loads_)
      judge(load);
    weigh(instructions, in_flight);
    fetch_along(instructions, in_flight);
    settle(instructions);
    if (llvm::any_of(result_.loads, [](const PlannedLoad& load) { return load.hidden; })) number();
    return std::move(result_);
  }

private:
  struct Load {
    uint32_t node, edge; // the one behind it
  };

  void find_loads() {
    for (uint32_t e = 0; e != graph_.edges.size(); ++e)
      if (graph_.nodes[graph_.edges[e].from].expensive) loads_.push_back({graph_.edges[e].from, e});
  }

  void find_ordered() {
    entry_group_ = condensed_.group_of[graph_.entry];
    ordered_by_[entry_group_] = "where packets begin or leave the loop";
    for (const SharedLocation& location : graph_.locations)
      for (const LocationAccess& access : location.accesses)
        if (std::string& by = ordered_by_[condensed_.group_of[access.node]];
            keeps_order(location) && by.empty())
          by = location.name;
    for (size_t g = condensed_.groups.size(); g-- > 0;)
      for (uint32_t link : condensed_.groups[g].in) {
        const uint32_t before = condensed_.links[link].from;
        if (ordered_behind_[g] || !ordered_by_[g].empty()) ordered_behind_[before] = true;
      }
  }

  void judge(const Load& load) {
    const CutNode& node = graph_.nodes[load.node];
    const CutEdge& edge = graph_.edges[load.edge];
    PlannedLoad& told = result_.loads.emplace_back();
    std::tie(told.context, told.block, told.function, told.at) =
        std::tie(node.context, node.block, node.function, node.load_at);
    const uint32_t group = condensed_.group_of[edge.from];
    const bool inside = group == condensed_.group_of[edge.to];
    if (std::string why = obstacle(graph_); !why.empty())
      told.reason = why;
    else if (!edge.site_possible)
      told.reason = "there is no place to step aside behind it";
    else if (inside && !ordered_by_[group].empty())
      told.reason = "it lies in code that packets pass in order, because of " + ordered_by_[group];
    else
      told.hidden = true;
    if (told.hidden) told.reason = "named in the source";
  }

  // A function that is part of the body several times has a load in each of these contexts, made as often as packets come there; what the profile
  // counted is all of them together. Of loads that the source names nothing is known.
  LoadCost cost_at(const CutNode& node) const {
    const double packets = double(std::max<uint64_t>(1, graph_.nodes[graph_.entry].visits));
    LoadCost cost{0, model_.memory};
    if (node.opened_load < opened_.size()) cost = cost_of(opened_[node.opened_load], model_);
    cost.accesses = double(node.visits) / packets;
    cost.ordered_behind = ordered_behind_[condensed_.group_of[uint32_t(&node - graph_.nodes.data())]];
    return cost;
  }

  // How often packets wait there, and whether it pays to hide it.
  void weigh(double instructions, double in_flight) {
    std::vector<LoadCost> costs;
    std::vector<size_t> which;
    for (size_t i = 0; i != loads_.size(); ++i) {
      const CutNode& node = graph_.nodes[loads_[i].node];
      if (node.opened_load >= opened_.size()) continue;
      const LoadCost cost = cost_at(node);
      PlannedLoad& told = result_.loads[i];
      told.accesses = cost.accesses;
      told.stall = cost.stall;
      told.into = cache_to_fill(opened_[node.opened_load]);
      if (!told.hidden) continue;
      costs.push_back(cost);
      which.push_back(i);
    }
    const auto hidden = choose_hidden(instructions, costs, in_flight, model_);
    for (size_t i = 0; i != which.size(); ++i) {
      PlannedLoad& told = result_.loads[which[i]];
      told.hidden = hidden[i].hidden;
      told.lanes = hidden[i].lanes;
      told.reason =
          told.lanes ? llvm::formatv("{0} packets run the loop around it side by side; {1:f0} cycles of an "
                                     "iteration wait for the last one, wherever the data lies",
                                     told.lanes, costs[i].chain)
                           .str()
          : told.hidden ? "stepping aside takes less time"
                        : "stepping aside would take as long";
    }
  }

  const CutNode& node_of(size_t load) const { return graph_.nodes[loads_[load].node]; }

  // Of a load, the pairs in which it is the later one.
  using Companions = std::vector<std::vector<const CutCompanion*>>;

  Companions companions_of_loads() const {
    Companions of(loads_.size());
    for (const CutCompanion& companion : graph_.companions)
      for (size_t i = 0; i != loads_.size(); ++i)
        if (loads_[i].node == companion.load) of[i].push_back(&companion);
    return of;
  }

  size_t load_at(uint32_t node) const {
    return size_t(llvm::find_if(loads_, [=](const Load& load) { return load.node == node; }) -
                  loads_.begin());
  }

  // Do packets step aside there?
  bool is_waited_for(size_t load) const {
    const PlannedLoad& told = result_.loads[load];
    return told.hidden && told.lanes == 0 && told.with.empty();
  }

  // Loads that are fetched where packets step aside for another one anyway, so that these do not wait once more. A load that is behind another
  // one on every way is looked at later.
  void fetch_along(double instructions, double in_flight) {
    const Companions companions = companions_of_loads();
    std::vector<LoadCost> costs;
    for (size_t i = 0; i != loads_.size(); ++i) {
      costs.push_back(cost_at(node_of(i)));
      how_.push_back({result_.loads[i].hidden, result_.loads[i].lanes});
    }
    std::vector<size_t> order(loads_.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(companions[a].size(), a) < std::pair(companions[b].size(), b);
    });
    auto cycles = [&] { return predict_cycles(instructions, costs, how_, in_flight, model_); };
    for (size_t load : order) {
      if (result_.loads[load].lanes != 0) continue;
      const Hidden before = how_[load];
      double fewest = cycles();
      Hidden best = before;
      std::optional<size_t> with;
      for (const CutCompanion* companion : companions[load]) {
        const size_t at = load_at(companion->at);
        if (at == loads_.size() || !is_waited_for(at) || !obstacle_of(graph_, *companion).empty()) continue;
        how_[load] = {true, 0, costs[at].accesses, companion->instructions + 1};
        const double here = cycles();
        // Of two places the later one: it is visited no more often, and what is fetched there lies in the cache for less time.
        if (here >= fewest && !(with && here == fewest && comes_before(companions, *with, at))) continue;
        fewest = here;
        best = how_[load];
        with = at;
      }
      how_[load] = best;
      if (with) put_along(load, *with);
    }
    for (size_t load : order)
      tell_apart(companions[load], load);
  }

  static bool comes_before(const Companions& companions, size_t load, size_t other) {
    return companions[load].size() < companions[other].size();
  }

  void put_along(size_t load, size_t with) {
    PlannedLoad& told = result_.loads[load];
    told.hidden = true;
    told.with = {uint32_t(with)};
    told.reason = "fetched along with " + result_.loads[with].at + ", where its address is known";
  }

  // Of what comes before it and is waited for, the nearest counts.
  void tell_apart(llvm::ArrayRef<const CutCompanion*> companions, size_t load) {
    if (!is_waited_for(load)) return;
    const CutCompanion* nearest = nullptr;
    size_t most_before = 0;
    for (const CutCompanion* companion : companions) {
      const size_t at = load_at(companion->at);
      if (at == loads_.size() || !is_waited_for(at)) continue;
      const auto before = size_t(llvm::count_if(
          graph_.companions, [&](const CutCompanion& other) { return other.load == companion->at; }));
      if (nearest && before < most_before) continue;
      nearest = companion;
      most_before = before;
    }
    if (!nearest) return;
    std::string why = obstacle_of(graph_, *nearest);
    if (why.empty()) why = "too few packets need it for all to fetch it";
    result_.apart.push_back(
        {load, "it is not fetched along with " + result_.loads[load_at(nearest->at)].at + ": " + why});
  }

  // What is predicted, and where packets step aside.
  void settle(double instructions) {
    std::vector<LoadCost> taken;
    std::vector<Hidden> how;
    for (size_t i = 0; i != loads_.size(); ++i) {
      const PlannedLoad& load = result_.loads[i];
      if (!load.hidden && node_of(i).opened_load >= opened_.size()) continue;
      result_.costs.push_back(cost_at(node_of(i)));
      result_.how.push_back(how_[i]);
      if (!load.hidden) continue;
      if (load.with.empty()) hidden_edges_.push_back(loads_[i].edge);
      taken.push_back(result_.costs.back());
      how.push_back(result_.how.back());
    }
    result_.least_batch = least_batch(instructions, taken, how, model_);
  }

  static unsigned odd_from(unsigned stage) { return stage | 1; }
  static unsigned even_from(unsigned stage) { return (stage + 1) & ~1U; }

  void number() {
    const size_t count = condensed_.groups.size();
    std::vector<unsigned> stages(count);
    std::vector<bool> waits_inside(count);
    std::vector<std::vector<uint32_t>> waits_into(
        count); // groups before a hidden load, by the group behind it
    for (uint32_t e : hidden_edges_) {
      const uint32_t from = condensed_.group_of[graph_.edges[e].from],
                     to = condensed_.group_of[graph_.edges[e].to];
      if (from == to)
        waits_inside[to] = true;
      else
        waits_into[to].push_back(from);
    }
    const std::vector<unsigned> first = first_stages();
    for (size_t g = 0; g != count; ++g) {
      unsigned stage = first[g], waits = 0;
      for (uint32_t link : condensed_.groups[g].in)
        stage = std::max(stage, stages[condensed_.links[link].from]);
      for (uint32_t from : waits_into[g])
        waits = std::max(waits, stages[from] + 1);
      if (!ordered_by_[g].empty())
        stage = even_from(std::max(stage, waits));
      else if (waits_inside[g] || waits > stage)
        stage = odd_from(stage); // behind a load in the same free stage, or in one that begins here
      stages[g] = stage;
    }
    std::vector<unsigned> dense = stages;
    renumber_stages(dense);
    result_.ordered.resize(*std::max_element(dense.begin(), dense.end()) + 1);
    for (size_t g = 0; g != count; ++g)
      result_.ordered[dense[g]] = stages[g] % 2 == 0;
    result_.stages = node_stages(condensed_, dense);
    place_sites();
  }

  // Of each group, the first stage of the part of the body that it lies in: parts are as many stages apart as there can be in one.
  std::vector<unsigned> first_stages() const {
    const unsigned apart = even_from(2 * unsigned(condensed_.groups.size()) + 2);
    std::vector<unsigned> first(condensed_.groups.size());
    for (size_t node = 0; node != cut_.size(); ++node) {
      unsigned& stage = first[condensed_.group_of[node]];
      stage = std::max(stage, cut_[node] * apart);
    }
    return first;
  }

  void place_sites() {
    result_.sites = sites_of(graph_, result_.stages);
    for (uint32_t e : hidden_edges_) {
      const CutEdge& edge = graph_.edges[e];
      if (result_.stages[edge.from] != result_.stages[edge.to]) continue; // has one
      const CutNode& behind = graph_.nodes[edge.to];
      result_.sites.push_back({edge.site_context, edge.site_from, edge.site_to, result_.stages[edge.to],
                               behind.function, behind.at});
    }
    llvm::sort(result_.sites, [](const PlannedSite& a, const PlannedSite& b) {
      return std::tie(a.stage, a.context, a.from, a.to) < std::tie(b.stage, b.context, b.from, b.to);
    });
  }

  const MemoryModel model_;
  const llvm::ArrayRef<OpenedLoad> opened_;
  const llvm::ArrayRef<unsigned> cut_;
  const CutGraph graph_;
  const Condensed condensed_;
  std::vector<std::string> ordered_by_; // by group: what keeps packets in order there; empty: nothing
  std::vector<bool> ordered_behind_;    // likewise: packets come from there to code that they pass in order
  uint32_t entry_group_ = 0;
  std::vector<Load> loads_;
  std::vector<Hidden> how_; // by load
  std::vector<uint32_t> hidden_edges_;
  Hiding result_;
};

} // namespace

Hiding plan_hiding(const CutGraph& graph, llvm::ArrayRef<OpenedLoad> opened, double instructions,
                   double in_flight, llvm::ArrayRef<unsigned> cut, const MemoryModel& model) {
  return Hider(graph, opened, cut, model).run(instructions, in_flight);
}

// Of loads that are fetched along with others.
static llvm::Error check_along(const BodyPlan& plan, const CutGraph& graph) {
  const char* hint = "take its number out of 'with', or make the plan again with --no-fetch-along";
  auto is_at = [&](uint32_t node, const PlannedLoad& load) {
    return graph.nodes[node].context == load.context && graph.nodes[node].block == load.block;
  };
  for (const PlannedLoad& load : plan.loads)
    for (uint32_t with : load.with) {
      const PlannedLoad* at = with < plan.loads.size() ? &plan.loads[with] : nullptr;
      if (!at || !at->hidden || at->lanes != 0 || !at->with.empty() || !load.hidden || load.lanes != 0)
        return diagnose("the plan fetches a load along with number " + llvm::Twine(with) +
                            " of the list, for which packets do not step aside",
                        hint, load.at);
      auto pair = llvm::find_if(graph.companions, [&](const CutCompanion& companion) {
        return is_at(companion.at, *at) && is_at(companion.load, load);
      });
      const std::string why = pair == graph.companions.end() ? "it does not come before it on every way"
                                                             : obstacle_of(graph, *pair);
      if (!why.empty())
        return diagnose("the plan fetches a load along with " + at->at + ", and it cannot be: " + why, hint,
                        load.at);
    }
  return llvm::Error::success();
}

llvm::Error check_hiding(const BodyPlan& plan, const CutGraph& graph, llvm::ArrayRef<unsigned> low,
                         llvm::ArrayRef<unsigned> high) {
  const char* hint = "make the plan again with 'heddle plan', or with --no-hide";
  if (std::string why = obstacle(graph); !why.empty())
    return diagnose("the plan interleaves " + plan.body + ", and it cannot be: " + why, hint);
  constexpr unsigned unreached = UINT32_MAX;
  auto is_free = [&](uint32_t node) {
    for (unsigned stage : {low[node], high[node]})
      if (stage != unreached && stage < plan.stages.size() && !plan.stages[stage].ordered) return true;
    return false;
  };
  for (const PlannedLoad& load : plan.loads)
    if (load.into < 1 || load.into > 3)
      return diagnose("the plan has a prefetch into cache level " + llvm::Twine(load.into),
                      "'into' is 1, 2 or 3", load.at);
    else if (load.lanes == 1 || load.lanes > most_lanes)
      return diagnose("the plan has " + llvm::Twine(load.lanes) + " lanes", "'lanes' is 0, or 2 to 16",
                      load.at);
  if (llvm::Error error = check_along(plan, graph)) return error;
  if (is_free(graph.entry)) return diagnose("the plan lets packets begin in any order", hint);
  for (const SharedLocation& location : graph.locations)
    for (const LocationAccess& access : location.accesses)
      if (keeps_order(location) && is_free(access.node))
        return diagnose("packets touch " + location.name + " in a stage that they pass in any order", hint,
                        access.at.str());
  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    const CutNode& node = graph.nodes[n];
    auto is_it = [&](const PlannedLoad& load) {
      return load.hidden && load.with.empty() && load.context == node.context && load.block == node.block;
    };
    if (llvm::any_of(plan.loads, is_it) && (!node.expensive || low[n] != high[n]))
      return diagnose("the plan hides a load that is none, or that packets of several stages make", hint,
                      node.at);
  }
  // Within an ordered stage there is nothing to wait for.
  for (const PlannedSite& site : plan.sites)
    for (const CutEdge& edge : graph.edges)
      if (edge.site_context == site.context && edge.site_from == site.from && edge.site_to == site.to &&
          low[edge.from] == site.stage && !is_free(edge.from))
        return diagnose("a site lies within stage " + llvm::Twine(site.stage) +
                            ", which packets pass in packet order",
                        hint, site.at);
  return llvm::Error::success();
}

} // namespace heddle
