#include "analysis/keys.h"

#include "program/claims.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <deque>

namespace heddle {

static bool claims_itself(const llvm::Function& function) {
  return llvm::any_of(function,
                      [](const llvm::BasicBlock& block) { return claim_of(block).call != nullptr; });
}

// Blocks with claims that a call of the function may come to, but for those in packet loops within.
static std::vector<Claim> claims_within(const llvm::Function& function, const PointsTo& points_to,
                                        llvm::ArrayRef<const llvm::Function*> bodies) {
  std::vector<Claim> result;
  llvm::DenseSet<const llvm::Function*> seen(bodies.begin(), bodies.end());
  std::vector<const llvm::Function*> work{&function};
  while (!work.empty()) {
    const llvm::Function* next = work.back();
    work.pop_back();
    if (!seen.insert(next).second) continue;
    for (const llvm::BasicBlock& block : *next) {
      if (Claim claim = claim_of(block); claim.call) result.push_back(claim);
      for (const llvm::Instruction& instruction : block)
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          llvm::append_range(work, points_to.callees(*call));
    }
  }
  return result;
}

void Keys::add_closed(const BodyGraph& graph, const PointsTo& points_to,
                      llvm::ArrayRef<const llvm::Function*> bodies) {
  if (llvm::none_of(points_to.module(), claims_itself)) return;
  llvm::DenseMap<const llvm::Function*, std::vector<Claim>> known;
  for (uint32_t n = 0; n != graph.nodes.size(); ++n)
    for (const llvm::CallBase* call : graph.nodes[n].closed_calls)
      for (const llvm::Function* callee : points_to.callees(*call)) {
        auto [claims, fresh] = known.try_emplace(callee);
        if (fresh) claims->second = claims_within(*callee, points_to, bodies);
        for (const Claim& claim : claims->second)
          made_.push_back({n, claim.key, claim.fresh, false, &claimed_value(claim)});
      }
}

Keys::Keys(const BodyGraph& graph, const Effects& effects, llvm::ArrayRef<const llvm::Function*> bodies)
    : before_(graph.nodes.size()) {
  std::vector<Set> own(graph.nodes.size()); // what the node's end adds
  for (uint32_t n = 0; n != graph.nodes.size(); ++n)
    if (Claim claim = claim_of(*graph.nodes[n].block); claim.call) {
      made_.push_back({n, claim.key, claim.fresh, true, &claimed_value(claim)});
      own[n] = {1u << claim.key, claim.fresh ? 1u << claim.key : 0};
    }
  add_closed(graph, effects.points_to(), bodies);
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

std::vector<uint32_t> Keys::claims(unsigned key) const {
  std::vector<uint32_t> nodes;
  for (const Made& made : made_)
    if (made.key == key) nodes.push_back(made.node);
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
