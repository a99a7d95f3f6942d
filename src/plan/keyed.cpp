// Keys against stages (docs/design.md, "Order").
//
// Problem. Packets with different keys do not meet in a keyed location, so its accesses may lie in several stages, and
// packets may pass these in another order than they came. What has to hold: packets with one key keep their order there.
//
// The runtime's side (src/runtime/keys.cpp): a packet enters a stage of the key's range [first..last] only when every earlier
// one with its key has left the range behind, where a packet that has claimed nothing, or two values, counts as having any key; and it
// enters an ordered stage, or any after it, only when all earlier ones have left that stage behind.
//
// The plan's side. Let c be the stages in which a key is claimed, and let a location's accesses lie in [first..last].
//   (1) c < first. Then whoever is about to enter the range has its key, and nobody's key changes within. So the search's
//       labelling is divided once more where it has to be: all that must not come before the accesses goes behind
//       all the rest (separate()). A key for which claims and accesses are bound together frees nothing.
//   (2) Stages with claims are ordered.
//   (3) A location within one stage needs no key if the stage is ordered; one within a range of its key is covered by that.
//   (4) A record that is filled at once is touched in the stage of the claim: there the runtime has earlier packets with the
//       same record end first, and the stage is ordered, so that later ones are behind. The same for a second record's claim. An
//       earlier packet that has left the stage, but not c, may be about to claim the record: it has found it, say. It ends first, too.
//   (5) An access in rare code, behind the claim, is one of the range like any other: whoever has the same key is still before the
//       range then, and whoever has another one does not meet it.
//   (6) A claim in rare code is made when all earlier packets have ended, and no other packet runs before this one has ended, too.
//       But a later one may be ahead, and have used what is claimed only now. So the claim lies in no stage behind that of
//       an access, and the first stage of these is ordered: nobody is ahead there. A fresh record is different: that nobody
//       has it yet is what its declaration says, wherever the claim may lie. The first stage is ordered if it lies there, as where a
//       connection is accepted, and the runtime ends the program if it finds a later packet with that record.
//   (7) Whatever else relies on packet order: windows, what rare code conflicts with (a later packet's access must
//       not be made while an earlier one, which may become alone, is still before it), receives against output.
// A stage in which nothing of this lies is free.

#include "plan/keyed.h"

#include "plan/policy.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace heddle {

namespace {

bool is_keyed(const SharedLocation& location) {
  return location.verdict == "keyed";
}

constexpr size_t told_bindings = 8;        // what binds an access and a claim takes a search
constexpr unsigned unreached = UINT32_MAX; // of nodes that no packet comes to in common code

class Order {
public:
  Order(const CutGraph& graph, const NodeStages& stages) : graph_(graph), stages_(stages) {
    unsigned last = 0;
    for (unsigned stage : stages.high)
      if (stage != unreached) last = std::max(last, stage);
    result_.ordered.resize(last + 1);
    result_.ordered[0] = true;
  }

  KeyedOrder run() {
    for (const CutKey& key : graph_.keys)
      for (uint32_t node : key.claims)
        keep_order(node);
    for (const SharedLocation& location : graph_.locations) {
      const bool rare =
          llvm::any_of(location.accesses, [](const LocationAccess& a) { return a.rare && !a.claimed; });
      if (location.verdict == "window" || location.verdict == "rare-path" ||
          location.verdict == "received-ahead" || (is_keyed(location) && rare))
        for (const LocationAccess& access : location.accesses)
          if (!access.rare) keep_order(access.node);
      if (is_keyed(location)) add_range(location);
    }
    cover_single_stages();
    return std::move(result_);
  }

private:
  bool reached(uint32_t node) const { return stages_.low[node] != unreached; }

  void keep_order(uint32_t node) {
    if (!reached(node)) return;
    for (unsigned stage = stages_.low[node]; stage <= stages_.high[node]; ++stage)
      result_.ordered[stage] = true;
  }

  unsigned last_stage(llvm::ArrayRef<uint32_t> nodes) const {
    unsigned last = 0;
    for (uint32_t node : nodes)
      if (reached(node)) last = std::max(last, stages_.high[node]);
    return last;
  }

  void add_range(const SharedLocation& location) {
    const CutKey& key = graph_.keys[location.key];
    const unsigned claimed = last_stage(key.claims), claimed_alone = last_stage(key.rare_claims);
    unsigned first = unreached, last = 0;     // of accesses behind the claims
    unsigned lowest = unreached, highest = 0; // of all
    const LocationAccess *too_early = nullptr, *before_alone = nullptr;
    for (const LocationAccess& access : location.accesses) {
      if (!reached(access.node)) continue;
      if (access.rare) {
        if (access.claimed) last = std::max(last, stages_.high[access.node]);
        continue;
      }
      const unsigned low = stages_.low[access.node], high = stages_.high[access.node];
      lowest = std::min(lowest, low);
      highest = std::max(highest, high);
      if (low < claimed_alone) before_alone = &access;
      if (low > claimed) {
        first = std::min(first, low);
        last = std::max(last, high);
      } else if (access.fresh) {
        keep_order(access.node);
      } else {
        too_early = &access;
      }
    }
    if (lowest == unreached) return; // of packets that run alone only
    highest = std::max(highest, last);
    auto in_lowest = [&](uint32_t node) {
      return reached(node) && stages_.low[node] <= lowest && lowest <= stages_.high[node];
    };
    if (!key.rare_claims.empty() || llvm::any_of(key.fresh_alone, in_lowest)) result_.ordered[lowest] = true;
    if (before_alone) {
      result_.problem = "the access to " + location.name +
                        " comes before a packet that runs alone claims the key " + key.name;
      result_.problem_at = before_alone->at.str();
    } else if (lowest == highest) {
      single_.push_back({key.number, lowest, lowest, std::max(claimed, claimed_alone), key.name});
    } else if (too_early) {
      result_.problem =
          "the key " + key.name + " is claimed in a stage that is not before the access to " + location.name;
      result_.problem_at = too_early->at.str();
    } else { // where all are fresh, a later packet's claim waits for the earlier one to leave the last of them
      merge({key.number, first == unreached ? highest : first, highest, std::max(claimed, claimed_alone),
             key.name});
    }
  }

  void merge(KeyRange range) {
    std::vector<KeyRange>& ranges = result_.keys;
    for (size_t i = 0; i != ranges.size();) {
      if (ranges[i].key != range.key || ranges[i].last < range.first || range.last < ranges[i].first) {
        ++i;
        continue;
      }
      range.first = std::min(range.first, ranges[i].first);
      range.last = std::max(range.last, ranges[i].last);
      ranges.erase(ranges.begin() + long(i));
      i = 0;
    }
    ranges.push_back(std::move(range));
  }

  void cover_single_stages() {
    for (const KeyRange& one : single_) {
      auto covers = [&](const KeyRange& range) {
        return range.key == one.key && range.first <= one.first && one.last <= range.last;
      };
      if (llvm::none_of(result_.keys, covers)) result_.ordered[one.first] = true;
    }
    llvm::sort(result_.keys, [](const KeyRange& a, const KeyRange& b) {
      return std::tie(a.first, a.last, a.key) < std::tie(b.first, b.last, b.key);
    });
  }

  const CutGraph& graph_;
  NodeStages stages_;
  KeyedOrder result_;
  std::vector<KeyRange> single_;
};

// Does the location have an access that has to lie behind the claims?
bool is_late(const LocationAccess& access) {
  return !access.rare && !access.fresh;
}

void insert_once(std::vector<uint32_t>& groups, uint32_t group) {
  if (!llvm::is_contained(groups, group)) groups.push_back(group);
}

} // namespace

KeyedOrder keyed_order(const CutGraph& graph, const NodeStages& stages) {
  return Order(graph, stages).run();
}

void set_order(const CutGraph& graph, const NodeStages& stages, BodyPlan& plan) {
  KeyedOrder order = keyed_order(graph, stages);
  plan.keys = std::move(order.keys);
  for (size_t s = 0; s != plan.stages.size(); ++s) // without keys nobody overtakes anybody
    plan.stages[s].ordered = plan.keys.empty() || s >= order.ordered.size() || order.ordered[s];
}

static void give_window(SharedLocation& location) {
  auto writes = [](const LocationAccess& access) { return access.write && !access.rare; };
  location.verdict = llvm::any_of(location.accesses, writes) ? "window" : "rare-path";
}

void without_keys(CutGraph& graph) {
  for (SharedLocation& location : graph.locations)
    if (is_keyed(location)) give_window(location);
  graph.keys.clear();
}

void drop_hopeless_keys(CutGraph& graph) {
  for (bool changed = !graph.keys.empty(); changed;) {
    changed = false;
    const Condensed condensed = condense(graph);
    std::map<std::pair<uint32_t, uint32_t>, std::string> bound_by; // access and claim
    for (SharedLocation& location : graph.locations) {
      if (!is_keyed(location)) continue;
      const llvm::ArrayRef<uint32_t> claims = graph.keys[location.key].claims;
      auto bound_to = [&](const LocationAccess& access) {
        return [&condensed, group = condensed.group_of[access.node]](uint32_t claim) {
          return condensed.group_of[claim] == group;
        };
      };
      auto bound = llvm::find_if(location.accesses, [&](const LocationAccess& access) {
        return is_late(access) && llvm::any_of(claims, bound_to(access));
      });
      if (bound == location.accesses.end()) continue;
      changed = true;
      if (graph.keys[location.key].inferred) { // nobody knows of it
        give_window(location);
        location.reason = "written by one packet and used by others";
        continue;
      }
      const uint32_t claim =
          *llvm::find_if(llvm::reverse(claims), bound_to(*bound)); // calls opened last come last
      const CutNode& where = graph.nodes[claim];
      give_window(location);
      location.would_free = "keyed, but no cut can lie between the access at " + bound->at.str() + " and " +
                            where.at + " in " + where.function + ", where the key " +
                            graph.keys[location.key].name + " is claimed, or may be";
      auto [why, fresh] = bound_by.try_emplace({bound->node, claim});
      if (fresh && bound_by.size() <= told_bindings) why->second = what_binds(graph, bound->node, claim);
      if (!why->second.empty()) location.would_free += ": " + why->second;
    }
  }
}

KeyedGroups::KeyedGroups(const CutGraph& graph, const Condensed& condensed) {
  for (uint32_t k = 0; k != graph.keys.size(); ++k) {
    Key key;
    for (uint32_t node : graph.keys[k].claims)
      insert_once(key.claims, condensed.group_of[node]);
    key.above.resize(condensed.groups.size());
    for (const SharedLocation& location : graph.locations) {
      if (!is_keyed(location) || location.key != k) continue;
      Location& added = key.locations.emplace_back();
      for (const LocationAccess& access : location.accesses) {
        if (access.rare && !access.claimed) continue;
        insert_once(access.rare    ? added.alone
                    : access.fresh ? added.fresh
                                   : added.late,
                    condensed.group_of[access.node]);
        if (is_late(access)) key.above[condensed.group_of[access.node]] = true;
      }
    }
    for (uint32_t g = 0; g != condensed.groups.size(); ++g) // in topological order
      for (uint32_t link : condensed.groups[g].in)
        if (key.above[condensed.links[link].from]) key.above[g] = true;
    if (!key.locations.empty()) keys_.push_back(std::move(key));
  }
}

bool KeyedGroups::is_legal(const Key& key, const std::vector<unsigned>& stages) {
  unsigned claimed = 0;
  for (uint32_t group : key.claims)
    claimed = std::max(claimed, stages[group]);
  for (const Location& location : key.locations) {
    unsigned low = UINT32_MAX, high = 0, first = UINT32_MAX;
    for (const auto* groups : {&location.late, &location.fresh, &location.alone})
      for (uint32_t group : *groups) {
        high = std::max(high, stages[group]);
        if (groups != &location.alone) low = std::min(low, stages[group]);
        if (groups == &location.late) first = std::min(first, stages[group]);
      }
    if (low < high && first <= claimed) return false;
  }
  return true;
}

bool KeyedGroups::are_legal(const std::vector<unsigned>& stages) const {
  return llvm::all_of(keys_, [&](const Key& key) { return is_legal(key, stages); });
}

void KeyedGroups::separate(std::vector<unsigned>& stages) const {
  // A claim comes before its key's accesses (condense.cpp), so a division for one key keeps those for others; but it may
  // make a location of another key span stages.
  for (size_t round = 0; round <= keys_.size() && !are_legal(stages); ++round)
    for (const Key& key : keys_) {
      if (is_legal(key, stages)) continue;
      const unsigned last = *std::max_element(stages.begin(), stages.end());
      for (size_t g = 0; g != stages.size(); ++g)
        if (key.above[g]) stages[g] += last + 1;
      renumber_stages(stages);
    }
}

} // namespace heddle
