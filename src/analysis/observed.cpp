#include "analysis/observed.h"

#include "analysis/names.h"

#include "llvm/ADT/EquivalenceClasses.h"

#include <map>
#include <set>

namespace heddle {

namespace {

using Ran = std::function<bool(const llvm::BasicBlock*)>;

// Which nodes may make the accesses at each of the places: those with the place in their own block, or in what their
// closed calls may run.
class PlacedNodes {
public:
  PlacedNodes(const BodyGraph& graph, const PacketBody& body, const Effects& effects,
              const std::set<ObservedPlace>& wanted, const Ran& ran)
      : effects_(effects), nodes_(wanted.size()) {
    for (const ObservedPlace& place : wanted)
      number_.insert({place, uint32_t(number_.size())});
    for (const llvm::Function* function : effects.reach(*body.body))
      for (const llvm::BasicBlock& block : *function)
        if (ran(&block)) note_block(block, body);
    for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
      const BodyNode& node = graph.nodes[n];
      std::set<uint32_t> places;
      if (auto own = of_block_.find(node.block); own != of_block_.end()) places = own->second;
      for (const llvm::CallBase* call : node.closed_calls)
        for (const llvm::Function* callee : effects.points_to().callees(*call)) {
          const std::set<uint32_t>& inside = of_callee(*callee);
          places.insert(inside.begin(), inside.end());
        }
      for (uint32_t place : places)
        nodes_[place].push_back(n);
    }
  }

  const std::vector<uint32_t>& of(const ObservedPlace& place) const { return nodes_[number_.at(place)]; }

private:
  void note_block(const llvm::BasicBlock& block, const PacketBody& body) {
    for (const llvm::Instruction& instruction : block) {
      if (!instruction.mayReadOrWriteMemory()) continue;
      ObservedPlace place{innermost_function(instruction).str(), location_of(instruction).str()};
      if (block.getParent() == body.body && llvm::StringRef(place.function).starts_with("heddle."))
        place.function = body.function;
      auto found = number_.find(place);
      if (found == number_.end()) continue;
      of_block_[&block].insert(found->second);
      of_function_[block.getParent()].insert(found->second);
    }
  }

  const std::set<uint32_t>& of_callee(const llvm::Function& callee) {
    auto [it, fresh] = of_callee_.try_emplace(&callee);
    if (fresh)
      for (const llvm::Function* function : effects_.reach(callee))
        if (auto found = of_function_.find(function); found != of_function_.end())
          it->second.insert(found->second.begin(), found->second.end());
    return it->second;
  }

  const Effects& effects_;
  std::map<ObservedPlace, uint32_t> number_;
  std::map<const llvm::BasicBlock*, std::set<uint32_t>> of_block_;
  std::map<const llvm::Function*, std::set<uint32_t>> of_function_, of_callee_;
  std::vector<std::vector<uint32_t>> nodes_; // by place
};

} // namespace

std::vector<SharedLocation> observed_locations(const BodyGraph& graph, const PacketBody& body,
                                               const Effects& effects,
                                               const std::vector<ObservedDependence>& dependences,
                                               const Ran& ran) {
  std::set<ObservedPlace> places;
  llvm::EquivalenceClasses<ObservedPlace> together;
  std::map<ObservedPlace, std::string> objects;
  for (const ObservedDependence& dependence : dependences) {
    places.insert({dependence.first, dependence.second});
    together.unionSets(dependence.first, dependence.second);
    objects.try_emplace(dependence.first, dependence.object);
  }
  PlacedNodes nodes(graph, body, effects, places, ran);
  std::map<ObservedPlace, SharedLocation> locations; // by the leader of its class
  for (const ObservedPlace& place : places) {
    SharedLocation& location = locations[together.getLeaderValue(place)];
    if (auto object = objects.find(place); object != objects.end() && location.name.empty())
      location.name = object->second;
    for (uint32_t node : nodes.of(place))
      location.accesses.push_back({node, true, place.function, place.at, graph.nodes[node].rare});
  }
  std::vector<SharedLocation> result;
  for (auto& [leader, location] : locations) {
    location.object = location.name;
    location.verdict = "window";
    location.reason = "packets of the sample met here";
    location.would_free = "what the analysis says of it (plan without --trust observed)";
    result.push_back(std::move(location));
  }
  return result;
}

} // namespace heddle
