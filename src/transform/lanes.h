// Lanes: packets that run a loop side by side, an iteration each in turn, with their state in registers.
//
// Problem. A chain of loads (an automaton's next state, a list's next element) makes a packet wait for each of them even where all are in the
// first levels of cache: 5 to 15 cycles, which is less than it takes to step aside (interleave.h). Nor does the processor overlap the chains
// of neighbouring packets, once each is longer than its window of instructions.
//
// Alternatives. (a) Interchange of the loops over packets and over steps (G-Opt, section 5): the state of all packets is loaded and stored in
// each step, and they have to be of one length, or sorted. (b) Unroll and jam: the same in registers, and all wait for the longest.
//
// Choice. A few copies of the loop's body, one after the other, in one loop: a lane each. When a lane's packet leaves the loop, its results go to
// its frame and the next packet that waits comes into the lane, while the others stay where they are. Neither lengths nor order matter.
// Measured (docs/hide.md): pattern matching 1.8 times as fast as the plain loop, (a) 1.7; loops of one length in the first cache 2 to 4 times.
//
// match: a load of the plan that has lanes. legal: as with waits; its stage is not ordered, so packets may pass it in any order.
// profitable: the plan's. rewrite: a place to wait in front of the loop and one behind each way out of it (surround_lane_loops), then the lanes
// as a pass of the interleaved body (make_lanes).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Alignment.h"

#include <optional>
#include <vector>

namespace llvm {
class AllocaInst;
class BasicBlock;
class CallInst;
class Function;
class Instruction;
class PHINode;
} // namespace llvm

namespace heddle {

// Such a loop, in the pattern of the passes. `entry` and `exits` end with a place to wait.
struct LaneLoop {
  unsigned lanes = 0;
  llvm::CallInst* mark = nullptr; // in `entry`
  llvm::BasicBlock *entry = nullptr, *header = nullptr;
  // For the header's phis: what a packet that waits in front of it goes on with.
  llvm::SmallVector<llvm::Instruction*, 8> state;
  llvm::BasicBlock* count = nullptr;   // between the two: makes `rounds`
  llvm::Instruction* rounds = nullptr; // how often a packet is sure to go round; null: nobody knows
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks; // the loop's
  llvm::SmallVector<llvm::CallInst*, 2> exits;    // their marks
};

// A place to wait in a loop that is to be run in lanes, and where its packets wait instead: in front of the loop and behind it. A loop that
// cannot be (it holds others, calls, or further places to wait) stays, without any.
struct LaneMark {
  llvm::CallInst* wait;
  unsigned lanes;
};
std::vector<LaneLoop> surround_lane_loops(llvm::Function& run, llvm::ArrayRef<LaneMark> marks);

// A value, or a variable in memory, and where in a packet's frame it lies.
struct FrameField {
  llvm::Instruction* value;
  uint64_t offset;
  llvm::Align alignment;
};

// What the interleaved body has for the packets of one such loop.
struct LanePass {
  const LaneLoop* loop;
  llvm::AllocaInst* waiting;         // the set of those that wait in front of the loop
  llvm::AllocaInst* rest;            // the set of those of them that have no lane yet
  llvm::AllocaInst* frames;          // with one more than there are packets
  uint64_t stride, spare;            // bytes from one to the next; that last one's number
  std::vector<FrameField> state;     // in order of the header's phis
  std::vector<FrameField> kept;      // values from before the loop that it uses
  std::vector<FrameField> variables; // of the body
  struct Exit {
    llvm::AllocaInst* waiting;
    std::optional<unsigned> label; // which of the waits of its pass
    std::vector<FrameField> results;
  };
  std::vector<Exit> exits; // as in the loop
  uint64_t label_offset;
  llvm::BasicBlock* dry; // where to go when no packet is left to fill a lane with
};

// The block that begins such a pass; at least `lanes` packets wait. New variables are appended to `places`.
llvm::BasicBlock* make_lanes(const LanePass& pass, unsigned lanes, std::vector<llvm::AllocaInst*>& places);

} // namespace heddle
