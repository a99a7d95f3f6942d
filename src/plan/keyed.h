// What keys (program/claims.h) ask of a labelling, and what a labelling means for them.
#pragma once

#include "plan/condense.h"
#include "plan/plan.h"

namespace heddle {

// What packets may be in at each node, as sites.cpp has it for edited plans; for a labelling both are the same.
struct NodeStages {
  const std::vector<unsigned>&low, &high;
};

// The order in which packets pass the stages. `problem`: why the keys do not hold, empty where they do.
struct KeyedOrder {
  std::vector<bool> ordered; // per stage
  std::vector<KeyRange> keys;
  std::string problem, problem_at;
};
KeyedOrder keyed_order(const CutGraph& graph, const NodeStages& stages);
// Into the plan, which has its table of stages.
void set_order(const CutGraph& graph, const NodeStages& stages, BodyPlan& plan);

// Keys that no labelling can use lose their locations, which get windows.
void drop_hopeless_keys(CutGraph& graph);
// All do.
void without_keys(CutGraph& graph);

// The keys of a graph against labellings of its groups.
class KeyedGroups {
public:
  KeyedGroups(const CutGraph& graph, const Condensed& condensed);

  // Puts all claims of a key into stages below those that use it, where a location of the key spans stages.
  void separate(std::vector<unsigned>& stages) const;
  bool are_legal(const std::vector<unsigned>& stages) const;

private:
  struct Location {
    std::vector<uint32_t> late, fresh, alone; // groups
  };
  struct Key {
    std::vector<uint32_t> claims; // groups
    std::vector<Location> locations;
    std::vector<bool> above; // per group: it must not come before the accesses
  };
  static bool is_legal(const Key& key, const std::vector<unsigned>& stages);

  std::vector<Key> keys_;
};

} // namespace heddle
