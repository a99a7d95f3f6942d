#include "profile/follow.h"

#include "program/claims.h"
#include "program/expensive.h"
#include "program/open.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle {

PathFollower::PathFollower(const BlockTable& blocks, ArrayRef<BlockId> origin)
    : blocks_(blocks), origin_(origin) {
  for (BlockId id = 0; id != blocks.size(); ++id) {
    if (origin[id] == no_block) continue;
    if (with_origin_.size() <= origin[id]) with_origin_.resize(origin[id] + 1);
    if (with_origin_[origin[id]] == nullptr) with_origin_[origin[id]] = blocks.block(id);
  }
}

void PathFollower::begin() {
  frames_.clear();
}

ArrayRef<const BasicBlock*> PathFollower::step(BlockId event) {
  passed_.clear();
  const BasicBlock* block = event < with_origin_.size() ? with_origin_[event] : nullptr;
  if (block == nullptr) return passed_;
  if (block->isEntryBlock())
    enter(*block);
  else if (!resume(event)) {
    while (!frames_.empty() && frames_.back().block->getParent() != block->getParent())
      frames_.pop_back();
    if (frames_.empty()) frames_.push_back({block});
    frames_.back().block = block;
    passed_.push_back(block);
  }
  pass_parts();
  return passed_;
}

static bool ends_a_part(const BasicBlock& block) {
  return expensive_load_of(block) || claim_of(block).call;
}

// A block that was split before a load, or behind a key, runs to its end: nothing in between leads elsewhere.
void PathFollower::pass_parts() {
  while (const BasicBlock* next =
             ends_a_part(*frames_.back().block) ? frames_.back().block->getSingleSuccessor() : nullptr) {
    if (origin_[blocks_.id(next)] != no_block) return; // annotated or declared
    frames_.back().block = next;
    passed_.push_back(next);
  }
}

void PathFollower::enter(const BasicBlock& entry) {
  if (!frames_.empty()) {
    passed_ = path_to_call(frames_.back().block, *entry.getParent());
    if (!passed_.empty()) frames_.back().block = passed_.back();
  }
  frames_.push_back({&entry});
  passed_.push_back(&entry);
}

bool PathFollower::resume(BlockId event) {
  for (size_t depth = frames_.size(); depth != 0; --depth) {
    const Path* path = find(frames_[depth - 1].block, event);
    if (path == nullptr) continue;
    frames_.resize(depth);
    frames_.back().block = path->back();
    passed_ = *path;
    return true;
  }
  return false;
}

const PathFollower::Path* PathFollower::find(const BasicBlock* from, BlockId event) {
  auto [it, fresh] = paths_.try_emplace({from, event});
  if (fresh && !search(from, event, it->second)) it->second.clear();
  return it->second.empty() ? nullptr : &it->second;
}

// Through blocks that only opening made, but not past a direct call there: had it been made, its callee would have
// been traced.
bool PathFollower::search(const BasicBlock* from, BlockId event, Path& path) const {
  for (const BasicBlock* next : successors(from)) {
    if (is_contained(path, next)) continue;
    BlockId origin = origin_[blocks_.id(next)];
    if (origin != no_block && origin != event) continue;
    path.push_back(next);
    if (origin == event) return true;
    const CallBase* call = ending_call(*next);
    const bool traced = call != nullptr && call->getCalledFunction() != nullptr &&
                        !call->getCalledFunction()->isDeclaration();
    if (!traced && search(next, event, path)) return true;
    path.pop_back();
  }
  return false;
}

// From a comparison to the call that was made. Empty: the frame is at the call already, or a library makes it.
PathFollower::Path PathFollower::path_to_call(const BasicBlock* from, const Function& callee) const {
  Path path;
  if (ending_call(*from) != nullptr) return path;
  for (const BasicBlock* at = from;;) {
    const BasicBlock* onwards = nullptr;
    for (const BasicBlock* next : successors(at)) {
      if (origin_[blocks_.id(next)] != no_block) continue;
      const CallBase* call = ending_call(*next);
      if (call != nullptr && call->getCalledFunction() == &callee) {
        path.push_back(next);
        return path;
      }
      if (call == nullptr || call->getCalledFunction() == nullptr) onwards = next;
    }
    if (onwards == nullptr || is_contained(path, onwards)) return {};
    path.push_back(onwards);
    if (ending_call(*onwards) != nullptr) return path;
    at = onwards;
  }
}

Trace follow_trace(const Trace& trace, const BlockTable& blocks, ArrayRef<BlockId> origin) {
  Trace result;
  result.program = trace.program;
  result.packets_seen = trace.packets_seen;
  result.packets_dropped = trace.packets_dropped;
  PathFollower follower(blocks, origin);
  for (const TracedPacket& packet : trace.packets) {
    TracedPacket& followed = result.packets.emplace_back(packet);
    followed.begin = result.events.size();
    follower.begin();
    for (BlockId event : trace.blocks(packet))
      for (const BasicBlock* block : follower.step(event))
        result.events.push_back(blocks.id(block));
    followed.end = result.events.size();
  }
  return result;
}

} // namespace heddle
