#include "analysis/keys.h"

#include "program/claims.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <deque>

namespace heddle {

static bool claims_itself(const llvm::Function& function) {
  return llvm::any_of(function,
                      [](const llvm::BasicBlock& block) { return claim_of(block).call != nullptr; });
}

namespace {

// From which functions calls lead to a claim: by common code alone, by rare code. What rare code calls is rare.
class WaysToClaims {
public:
  WaysToClaims(const PointsTo& points_to, const RareBlocks& rare,
               llvm::ArrayRef<const llvm::Function*> bodies)
      : bodies_(bodies.begin(), bodies.end()) {
    for (const llvm::Function& function : points_to.module())
      for (const llvm::BasicBlock& block : function) {
        const bool is_rare = rare && rare(block);
        if (Claim claim = claim_of(block); claim.call) claims_.push_back({claim, {}, is_rare});
        for (const llvm::Instruction& instruction : block)
          if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
            for (const llvm::Function* callee : points_to.callees(*call))
              callers_[is_rare][callee].insert(&function);
      }
    for (Ways& ways : claims_)
      follow(ways);
  }

  struct Ways {
    Claim claim;
    llvm::DenseSet<const llvm::Function*> from[2]; // in common code, in rare code
    bool rare;
  };
  llvm::ArrayRef<Ways> all() const { return claims_; }

private:
  // But not from packet loops within a packet.
  void follow(Ways& ways) {
    std::vector<std::pair<const llvm::Function*, bool>> work{{ways.claim.call->getFunction(), ways.rare}};
    while (!work.empty()) {
      const auto [function, is_rare] = work.back();
      work.pop_back();
      if (bodies_.contains(function) || !ways.from[is_rare].insert(function).second) continue;
      for (bool rarely : {false, true})
        for (const llvm::Function* caller : callers_[rarely][function])
          work.push_back({caller, is_rare || rarely});
    }
  }

  llvm::DenseSet<const llvm::Function*> bodies_;
  llvm::DenseMap<const llvm::Function*, llvm::SmallPtrSet<const llvm::Function*, 8>>
      callers_[2]; // by common code, by rare code
  std::vector<Ways> claims_;
};

} // namespace

void Keys::add_closed(const BodyGraph& graph, const PointsTo& points_to, const RareBlocks& rare,
                      llvm::ArrayRef<const llvm::Function*> bodies) {
  if (llvm::none_of(points_to.module(), claims_itself)) return;
  const WaysToClaims ways(points_to, rare, bodies);
  for (uint32_t n = 0; n != graph.nodes.size(); ++n)
    for (const llvm::CallBase* call : graph.nodes[n].closed_calls)
      for (const llvm::Function* callee : points_to.callees(*call))
        for (const auto& [claim, from, in_rare] : ways.all())
          for (bool rarely : {false, true})
            if (from[rarely].contains(callee))
              made_.push_back(
                  {n, claim.key, claim.nobodys, rarely || graph.nodes[n].rare, &claimed_value(claim)});
}

Keys::Keys(const BodyGraph& graph, const Effects& effects, const RareBlocks& rare,
           llvm::ArrayRef<const llvm::Function*> bodies)
    : before_(graph.nodes.size()) {
  std::vector<Set> own(graph.nodes.size()); // what the node's end adds
  for (uint32_t n = 0; n != graph.nodes.size(); ++n)
    if (Claim claim = claim_of(*graph.nodes[n].block); claim.call) {
      made_.push_back({n, claim.key, claim.nobodys, graph.nodes[n].rare, &claimed_value(claim)});
      own[n] = {1u << claim.key, claim.fresh ? 1u << claim.key : 0};
    }
  add_closed(graph, effects.points_to(), rare, bodies);
  // All claims hold where no way leads; on the ways they are met.
  std::vector<std::vector<uint32_t>> next(graph.nodes.size());
  for (const BodyEdge& edge : graph.edges)
    next[edge.from].push_back(edge.to);
  before_.assign(graph.nodes.size(), {~0u, ~0u});
  before_[graph.entry] = {};
  std::deque<uint32_t> work{graph.entry};
  std::vector<bool> reached(graph.nodes.size());
  reached[graph.entry] = true;
  while (!work.empty()) {
    const uint32_t node = work.front();
    work.pop_front();
    const Set after{before_[node].any | own[node].any, before_[node].fresh | own[node].fresh};
    for (uint32_t to : next[node]) {
      const Set met{before_[to].any & after.any, before_[to].fresh & after.fresh};
      if (reached[to] && met == before_[to]) continue;
      reached[to] = true;
      before_[to] = met;
      work.push_back(to);
    }
  }
}

std::vector<uint32_t> Keys::claims(unsigned key, Claimed where) const {
  std::vector<uint32_t> nodes;
  for (const Made& made : made_) {
    const Claimed in = !made.rare      ? Claimed::InCommonCode
                       : !made.nobodys ? Claimed::InRareCode
                                       : Claimed::FreshInRareCode;
    if (made.key == key && in == where) nodes.push_back(made.node);
  }
  llvm::sort(nodes);
  nodes.erase(llvm::unique(nodes), nodes.end());
  return nodes;
}

std::vector<const llvm::Value*> Keys::values(unsigned key) const {
  std::vector<const llvm::Value*> values;
  for (const Made& made : made_)
    if (made.key == key) values.push_back(made.value);
  return values;
}

llvm::DenseSet<const llvm::Function*> functions_that_claim(const llvm::Module& module) {
  llvm::DenseSet<const llvm::Function*> result;
  std::vector<const llvm::Function*> work;
  auto add = [&](const llvm::Function& function) {
    if (result.insert(&function).second) work.push_back(&function);
  };
  for (const llvm::Function& function : module)
    if (claims_itself(function)) add(function);
  while (!work.empty()) {
    const llvm::Function* function = work.back();
    work.pop_back();
    for (const llvm::User* user : function->users())
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
          call && call->getCalledFunction() == function)
        add(*call->getFunction());
  }
  return result;
}

} // namespace heddle
