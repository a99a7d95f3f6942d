// Locks.
//
// Problem. Every call of a lock function writes the lock, so the rule of windows puts all sections that one lock guards into
// one stage, and, as the order of system calls counts, all sections of all locks. But what has to keep its order is what is
// done under the lock, and that has windows of its own. Of the lock itself only this must hold:
//   - a packet that is suspended holds none: another packet of the thread that wants it would wait for ever, and other
//     threads would wait for a whole batch;
//   - the thread takes and releases locks as often as before, each section around the same accesses.
// So where no site stands inside of a section, calls of lock functions commute among packets of one batch. Other threads may
// see sections of different packets in another order, as they may see any accesses to different locations: the
// program's own synchronisation holds, and no more was promised.
//
// Where is a packet inside? How many locks it holds, at least and at most, is followed along the body's graph; calls that
// are not opened have a sum of their own. No pointer is looked at: a count that returns to 0 is enough. The answer is
// "not known", and the locks keep their windows, when
//   - a release may come without a lock that this packet has taken, or a packet may end with one;
//   - a packet that holds one may let others run, which might want the same lock: at a gate of a rare path, before it
//     leaves for good, where it waits for input, or at output that is kept (where there is no memory for it, the packets
//     before it end first);
//   - a function with lock calls calls itself.
// trylock and timed locks are no such functions, nor are waits on conditions: what they touch conflicts with what these do,
// as an access outside of a group does.
//
// Read-side sections of liburcu count as locks: a packet in one that waits for another packet's synchronize_rcu would wait
// for itself.
#include "analysis/locks.h"

#include "analysis/leaving_calls.h"
#include "analysis/names.h"
#include "program/deferrable.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

using namespace llvm;

namespace heddle {

namespace {

constexpr int most_held = 16; // beyond that a loop takes locks

// How many locks may be held, against a beginning.
struct Count {
  int low = 0, high = 0;
  bool operator==(const Count&) const = default;
  Count joined(Count other) const { return {std::min(low, other.low), std::max(high, other.high)}; }
};

// What a call of a function does to the count.
struct Sum {
  Count count;
  int lowest = 0;                // on the way
  int highest_where_others = -1; // run at a gate or before leaving; -1: nowhere
  const Instruction* others_at = nullptr;
};

class Walker {
public:
  Walker(const Effects& effects, const RareBlocks& rare)
      : effects_(effects), points_to_(effects.points_to()), rare_(rare) {}

  std::string obstacle;

  // A block's own calls but for `opened`, whose callee the caller follows itself.
  Count through(const BasicBlock& block, Count count, Sum& sum, const CallBase* opened = nullptr) {
    if (rare_ && rare_(block)) {
      others_run(sum, count, *block.getFirstNonPHI());
      return count; // alone to its end
    }
    for (const Instruction& instruction : block) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || isa<IntrinsicInst>(call) || call == opened) continue;
      if (lets_others_run(*call) || is_deferrable(*call)) others_run(sum, count, *call);
      if (const Function* direct = call->getCalledFunction(); direct && lock_use(*direct) != LockUse::None) {
        count = used(*call, lock_use(*direct), count, sum);
        continue;
      }
      count = called(*call, count, sum);
    }
    return count;
  }

private:
  Count used(const CallBase& call, LockUse use, Count count, Sum& sum) {
    const int by = use == LockUse::Takes ? 1 : -1;
    count = {count.low + by, count.high + by};
    sum.lowest = std::min(sum.lowest, count.low);
    return bounded(count, call);
  }

  Count bounded(Count count, const CallBase& at) {
    if (count.high > most_held || count.low < -most_held)
      give_up("locks are taken or released in a loop", at);
    return count;
  }

  void others_run(Sum& sum, Count count, const Instruction& at) {
    if (count.high <= sum.highest_where_others) return;
    sum.highest_where_others = count.high;
    sum.others_at = &at;
  }

  Count called(const CallBase& call, Count count, Sum& sum) {
    std::optional<Count> after;
    for (const Function* callee : points_to_.callees(call)) {
      if (lock_use(*callee) != LockUse::None) { // by a pointer
        give_up("a lock function is called through a pointer", call);
        continue;
      }
      const Sum& inner = sum_of(*callee);
      if (inner.highest_where_others >= 0)
        others_run(sum, {0, count.high + inner.highest_where_others}, *inner.others_at);
      sum.lowest = std::min(sum.lowest, count.low + inner.lowest);
      Count made = {count.low + inner.count.low, count.high + inner.count.high};
      after = after ? after->joined(made) : made;
    }
    for (const Function* callee : points_to_.external_callees(call))
      if (lock_use(*callee) != LockUse::None && callee != call.getCalledFunction())
        give_up("a lock function is called through a pointer", call);
    return bounded(after.value_or(count), call);
  }

  bool uses_locks(const Function& function) {
    auto [known, fresh] = uses_locks_.try_emplace(&function, false);
    for (auto block = function.begin(); fresh && block != function.end(); ++block)
      for (const Instruction& instruction : *block)
        if (const auto* call = dyn_cast<CallBase>(&instruction); call && call->getCalledFunction())
          known->second |= lock_use(*call->getCalledFunction()) != LockUse::None;
    return known->second;
  }

  const Sum& sum_of(const Function& function) {
    auto [known, fresh] = sums_.try_emplace(&function);
    if (!fresh) {
      if (is_contained(running_, &function) &&
          any_of(effects_.reach(function), [&](const Function* reached) { return uses_locks(*reached); }))
        give_up("a function with locks calls itself", function.getEntryBlock().front());
      return known->second;
    }
    running_.push_back(&function);
    Sum sum;
    std::optional<Count> at_return;
    DenseMap<const BasicBlock*, Count> before;
    std::deque<const BasicBlock*> work{&function.getEntryBlock()};
    before[work.front()] = {};
    while (!work.empty() && obstacle.empty()) {
      const BasicBlock* block = work.front();
      work.pop_front();
      Count count = through(*block, before.lookup(block), sum);
      if (isa<ReturnInst>(block->getTerminator())) at_return = at_return ? at_return->joined(count) : count;
      for (const BasicBlock* next : successors(block)) {
        auto [place, first] = before.try_emplace(next, count);
        Count met = first ? count : place->second.joined(count);
        if (!first && met == place->second) continue;
        place->second = met;
        work.push_back(next);
      }
    }
    running_.pop_back();
    sum.count = at_return.value_or(Count());
    return sums_[&function] = sum;
  }

  void give_up(const char* why, const Instruction& at) {
    if (obstacle.empty())
      obstacle = why + (": " + location_of(at).str()) + " in " + innermost_function(at).str();
  }

  const Effects& effects_;
  const PointsTo& points_to_;
  const RareBlocks& rare_;
  std::map<const Function*, Sum> sums_;
  DenseMap<const Function*, bool> uses_locks_;
  std::vector<const Function*> running_;
};

} // namespace

Locks::Locks(const BodyGraph& graph, const Effects& effects, const RareBlocks& rare) {
  Walker walker(effects, rare);
  std::vector<std::vector<uint32_t>> out(graph.nodes.size()); // edges
  for (uint32_t e = 0; e != graph.edges.size(); ++e)
    out[graph.edges[e].from].push_back(e);
  std::vector<const CallBase*> opened(graph.nodes.size());
  for (uint32_t n = 0; n != graph.nodes.size(); ++n) {
    const CallBase* ends = ending_call(*graph.nodes[n].block);
    if (ends && !is_contained(graph.nodes[n].closed_calls, ends)) opened[n] = ends;
  }
  std::vector<std::optional<Count>> before(graph.nodes.size()), after(graph.nodes.size());
  std::deque<uint32_t> work{graph.entry};
  before[graph.entry] = Count();
  Sum sum;
  while (!work.empty() && walker.obstacle.empty()) {
    const uint32_t n = work.front();
    work.pop_front();
    after[n] = walker.through(*graph.nodes[n].block, *before[n], sum, opened[n]);
    if (graph.nodes[n].rare) continue; // alone to its end: no site, and nobody waits for its locks
    for (uint32_t e : out[n]) {
      std::optional<Count>& next = before[graph.edges[e].to];
      const Count met = next ? next->joined(*after[n]) : *after[n];
      if (next && met == *next) continue;
      next = met;
      work.push_back(graph.edges[e].to);
    }
  }
  obstacle_ = walker.obstacle;
  if (!obstacle_.empty()) return;
  auto place = [](const Instruction& at) {
    return location_of(at).str() + " in " + innermost_function(at).str();
  };
  if (sum.lowest < 0) obstacle_ = "a packet may release a lock that it has not taken";
  if (sum.highest_where_others > 0)
    obstacle_ = "other packets may run while this one holds a lock: " + place(*sum.others_at);
  for (uint32_t exit : graph.exits)
    if (after[exit] && after[exit]->high > 0 && !graph.nodes[exit].rare)
      obstacle_ = "a packet may end and hold a lock: " + place(*graph.nodes[exit].block->getTerminator());
  if (!obstacle_.empty()) return;
  for (uint32_t e = 0; e != graph.edges.size(); ++e)
    if (const auto& count = after[graph.edges[e].from]; count && count->high > 0) held_on_.push_back(e);
}

} // namespace heddle
