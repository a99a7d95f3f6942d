#include "plan/inferred.h"

#include "plan/condense.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle {

namespace {

constexpr size_t most_roots = 16;    // of a key
constexpr double least_share = 0.05; // of the packet, between a location's first access and its last
constexpr uint64_t few_packets = 8;  // fewer than one in so many

bool needs_keys(const BodyPlan& body, const Plan& plan) {
  if (plan.policy == "finest") return true;
  if (plan.policy == "none" || body.packets == 0 || body.footprint <= plan.budget) return false;
  return llvm::any_of(body.stages, [&](const PlannedStage& stage) { return stage.largest > plan.budget; });
}

// Of the packet, what runs between the location's first access and its last.
double share_of(const SharedLocation& location) {
  double first = 1, last = 0;
  for (const SampledAccess& access : location.sampled) {
    first = std::min(first, access.when);
    last = std::max(last, access.when);
  }
  return std::max(0.0, last - first);
}

// Do few of the packets come to this block, and not alone?
bool is_fresh(const CutGraph& graph, uint32_t block) {
  uint64_t visits = 0;
  bool rare = false;
  for (const CutNode& node : graph.nodes)
    if (node.block == block) {
      visits += node.visits;
      rare |= node.rare;
    }
  return !rare && visits != 0 && visits * few_packets < graph.nodes[graph.entry].visits;
}

// Could a key free the location: can a cut lie between each of its accesses and the claims? Not in the same node, which a claim would
// divide. Nor if a value is made in a call that is closed, where it would be claimed too late.
bool can_be_freed(const CutGraph& graph, const Condensed& condensed, const SharedLocation& location) {
  auto is_bound_to = [&](uint32_t claim) {
    return [&, claim](const LocationAccess& access) {
      return !access.rare && claim != access.node &&
             condensed.group_of[claim] == condensed.group_of[access.node];
    };
  };
  for (const ValuePlace& root : location.roots) {
    bool reached = false;
    for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
      if (graph.nodes[n].block != root.claimed_in) continue;
      reached = true;
      if (!is_fresh(graph, root.block) && llvm::any_of(location.accesses, is_bound_to(n))) return false;
    }
    if (!reached) return false;
  }
  return true;
}

constexpr const char* candidate = "inferred-key";

// A graph in which those windows that a key could free are none. Before the claims are made and all is analysed again.
CutGraph with_candidates(CutGraph graph, bool all) {
  for (SharedLocation& location : graph.locations)
    if (location.verdict == "window" && !location.roots.empty() && (all || share_of(location) >= least_share))
      location.verdict = candidate;
  for (bool changed = true; changed;) {
    changed = false;
    const Condensed condensed = condense(graph);
    for (SharedLocation& location : graph.locations) {
      if (location.verdict != candidate || can_be_freed(graph, condensed, location)) continue;
      location.verdict = "window";
      changed = true;
    }
  }
  return graph;
}

using Value = std::pair<uint32_t, uint32_t>; // block, instruction

struct Key {
  double share = 0;
  std::map<Value, OpenedClaim> claims;
};

// Values by which packets reach one location are claimed as one key.
std::vector<Key> keys_of(const CutGraph& graph) {
  llvm::EquivalenceClasses<Value> together;
  auto counts = [](const SharedLocation& location) { return location.verdict == candidate; };
  auto value_of = [](const ValuePlace& root) { return Value(root.block, root.instruction); };
  for (const SharedLocation& location : graph.locations)
    if (counts(location))
      for (const ValuePlace& root : location.roots)
        together.unionSets(value_of(location.roots.front()), value_of(root));
  std::map<Value, Key> keys;
  for (const SharedLocation& location : graph.locations) {
    if (!counts(location)) continue;
    Key& key = keys[together.getLeaderValue(value_of(location.roots.front()))];
    key.share = std::max(key.share, share_of(location));
    for (const ValuePlace& root : location.roots)
      key.claims[value_of(root)] = {root.block, root.instruction, 0, false, root.function, root.at};
  }
  std::vector<Key> result;
  for (auto& [leader, key] : keys)
    if (key.claims.size() <= most_roots) result.push_back(std::move(key));
  return result;
}

} // namespace

std::vector<OpenedClaim> choose_claims(const std::vector<CutGraph>& graphs, const Plan& plan,
                                       unsigned first) {
  std::vector<Key> keys;
  for (size_t b = 0; b != graphs.size(); ++b) {
    if (!needs_keys(plan.bodies[b], plan)) continue;
    for (Key& key : keys_of(with_candidates(graphs[b], plan.policy == "finest"))) {
      for (auto& [value, claim] : key.claims)
        claim.fresh = is_fresh(graphs[b], claim.block);
      keys.push_back(std::move(key));
    }
  }
  llvm::sort(keys, [](const Key& a, const Key& b) {
    return a.share != b.share ? a.share > b.share : a.claims.begin()->first < b.claims.begin()->first;
  });
  std::vector<OpenedClaim> chosen;
  for (Key& key : keys) {
    if (first > most_keys) break;
    auto is_claimed = [&](const auto& claim) { // by a key of another body
      return llvm::any_of(chosen, [&](const OpenedClaim& other) {
        return claim.first == Value(other.block, other.instruction);
      });
    };
    if (llvm::any_of(key.claims, is_claimed)) continue;
    for (auto& [value, claim] : key.claims) {
      claim.key = first;
      chosen.push_back(std::move(claim));
    }
    ++first;
  }
  return chosen;
}

} // namespace heddle
