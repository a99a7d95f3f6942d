#include "plan/openings.h"

#include "analysis/rarity.h"
#include "profile/follow.h"
#include "program/modelled.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <numeric>
#include <set>

using namespace llvm;

namespace heddle {
namespace {

constexpr uint64_t one_in = 100;    // calls and targets below one in this many are left alone
constexpr uint64_t loop_share = 20; // loops with less than one in this many of all blocks, too
constexpr uint32_t most_iterations = 16;
constexpr size_t most_targets = 16;

struct LoopRuns {
  uint64_t runs = 0, blocks = 0;              // of the loop; run inside it, callees included
  uint64_t reached[most_iterations + 1] = {}; // runs with at least [n] + 1 iterations
};

// What the sample's packets did at calls through pointers and in outermost loops.
class Observer {
public:
  Observer(const BlockTable& blocks)
      : blocks_(blocks), origin_(blocks.size()), follower_(blocks, identity()) {}

  void observe(const Trace& trace) {
    for (const TracedPacket& packet : trace.packets) {
      follower_.begin();
      inside_.clear();
      for (BlockId event : trace.blocks(packet))
        step(event);
      leave_frames(0);
    }
  }

  // The outermost loop around the block; null if there is none.
  const Loop* loop_of(const BasicBlock& block) {
    const Function* function = block.getParent();
    auto [it, fresh] = loops_.try_emplace(function);
    if (fresh) {
      DominatorTree dominators(const_cast<Function&>(*function));
      it->second = std::make_unique<LoopInfo>(dominators);
    }
    const Loop* loop = it->second->getLoopFor(&block);
    return loop == nullptr ? nullptr : loop->getOutermostLoop();
  }
  bool is_innermost_level(const BasicBlock& block) {
    (void)loop_of(block);
    return loops_[block.getParent()]->getLoopDepth(&block) <= 1;
  }

  std::map<BlockId, std::map<const Function*, uint64_t>> calls; // by block of the call; null: something else
  std::map<BlockId, LoopRuns> runs;                             // by header
  uint64_t total = 0;                                           // blocks run

private:
  // For each frame of the follower: the loop that it is in, since when, and in which iteration.
  struct Inside {
    const Loop* loop = nullptr;
    uint64_t since = 0;
    uint32_t iteration = 0;
  };

  ArrayRef<BlockId> identity() {
    std::iota(origin_.begin(), origin_.end(), 0);
    return origin_;
  }

  void leave(Inside& inside) {
    if (inside.loop) runs[blocks_.id(inside.loop->getHeader())].blocks += total - inside.since;
    inside.loop = nullptr;
  }

  void leave_frames(size_t depth) {
    while (inside_.size() > depth) {
      leave(inside_.back());
      inside_.pop_back();
    }
  }

  void step(BlockId event) {
    size_t depth_before = follower_.frames().size();
    const BasicBlock* caller = depth_before ? follower_.frames().back().block : nullptr;
    if (follower_.step(event).empty()) return;
    const BasicBlock& block = *follower_.frames().back().block;
    size_t depth = follower_.frames().size();
    if (caller && depth > depth_before) ++calls[blocks_.id(caller)][block.getParent()];
    leave_frames(depth);
    inside_.resize(depth);
    Inside& inside = inside_.back();
    const Loop* loop = loop_of(block);
    if (loop != inside.loop) leave(inside);
    if (loop && loop != inside.loop) inside = {loop, total, 0};
    if (loop && &block == loop->getHeader()) {
      LoopRuns& counted = runs[event];
      counted.runs += inside.iteration == 0;
      if (inside.iteration <= most_iterations) ++counted.reached[inside.iteration++];
    }
    ++total;
  }

  const BlockTable& blocks_;
  std::vector<BlockId> origin_;
  PathFollower follower_;
  std::vector<Inside> inside_;
  DenseMap<const Function*, std::unique_ptr<LoopInfo>> loops_;
};

// How many iterations get copies; 0: the loop is left alone. `calls`: it holds a call through a pointer, of which nothing is
// known as long as it stays in a loop.
uint32_t iterations_of(const LoopRuns& loop, uint64_t total, bool calls) {
  if (loop.reached[most_iterations] * one_in > loop.runs) return 0;
  if (loop.blocks * loop_share < total && !calls) return 0;
  uint32_t count = 0;
  while (count != most_iterations && loop.reached[count] * one_in > loop.runs)
    ++count;
  return count;
}

template <typename Opened> void say_where(Opened& opened, const BasicBlock& block) {
  opened.function = source_name(*block.getParent()).str();
  opened.at = location_of(*block.getTerminator()).str();
}

uint64_t count_of(const std::map<const Function*, uint64_t>& reached) {
  uint64_t made = 0;
  for (const auto& [function, count] : reached)
    made += count;
  return made;
}

// Headers of loops with calls through pointers that packets make often.
std::set<BlockId> loops_with_calls(Observer& observed, const BlockTable& blocks, size_t packets) {
  std::set<BlockId> headers;
  for (const auto& [id, reached] : observed.calls) {
    const BasicBlock& block = *blocks.block(id);
    const Loop* loop = observed.loop_of(block);
    const CallBase* call = ending_call(block);
    if (loop && call && call->isIndirectCall() && observed.is_innermost_level(block) &&
        count_of(reached) * one_in >= packets)
      headers.insert(blocks.id(loop->getHeader()));
  }
  return headers;
}

std::vector<OpenedLoop> choose_loops(Observer& observed, const BlockTable& blocks, size_t packets) {
  std::vector<OpenedLoop> chosen;
  const std::set<BlockId> with_calls = loops_with_calls(observed, blocks, packets);
  for (const auto& [header, runs] : observed.runs) {
    const BasicBlock& block = *blocks.block(header);
    uint32_t iterations = iterations_of(runs, observed.total, with_calls.contains(header));
    if (iterations == 0 || !can_open_loop(*observed.loop_of(block))) continue;
    OpenedLoop& opened = chosen.emplace_back();
    opened.header = header;
    opened.iterations = iterations;
    say_where(opened, block);
  }
  return chosen;
}

std::optional<OpenedCall> choose_targets(const BasicBlock& block,
                                         const std::map<const Function*, uint64_t>& reached, size_t packets) {
  const uint64_t all = std::min<uint64_t>(count_of(reached), packets);
  std::vector<std::pair<uint64_t, const Function*>> targets;
  for (const auto& [function, count] : reached) {
    if (can_open_call(block, *function) && !is_opaque(*function)) targets.push_back({count, function});
  }
  llvm::sort(targets, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->getName() < b.second->getName();
  });
  OpenedCall opened;
  for (const auto& [count, function] : targets)
    if (count * one_in >= all && opened.targets.size() != most_targets)
      opened.targets.push_back(function->getName().str());
  if (opened.targets.empty()) return std::nullopt;
  say_where(opened, block);
  return opened;
}

} // namespace

Openings choose_openings(const Program& program, const Trace& trace) {
  BlockTable blocks(*program.module);
  Observer observed(blocks);
  observed.observe(trace);
  Openings result;
  result.loops = choose_loops(observed, blocks, trace.packets.size());
  for (const auto& [id, reached] : observed.calls) {
    const BasicBlock& block = *blocks.block(id);
    if (count_of(reached) * one_in < trace.packets.size()) continue;
    if (auto opened = choose_targets(block, reached, trace.packets.size())) {
      opened->block = id;
      result.calls.push_back(std::move(*opened));
    }
  }
  return result;
}

llvm::Error open_traced(Program& program, Trace& trace, const Openings& openings) {
  if (openings.empty()) return Error::success();
  auto origin = open_program(program, openings);
  if (!origin) return origin.takeError();
  trace = follow_trace(trace, BlockTable(*program.module), *origin);
  return Error::success();
}

} // namespace heddle
