// A traced packet, followed through the code: which call led where, and what it ran in a program whose calls and
// loops were opened (src/program/open.h) since it was traced.
#pragma once

#include "profile/trace.h"
#include "program/program.h"

#include "llvm/ADT/SmallVector.h"

namespace heddle {

// One packet at a time: begin(), then step() for each of its blocks. The frames are those of the functions that the
// packet is in; each holds the block that it is at. A trace says which blocks ran, not who called whom: the
// first block of a function is a call of it (by the frame on top, or by a library that it called), any other
// belongs to the innermost frame that can go there, and ends those above. Signal handlers look like calls;
// after longjmp and exceptions the frame is found again by its function.
class PathFollower {
public:
  // `origin`: for each block of the program, the block that the trace has for it, or no_block (open_program()).
  PathFollower(const BlockTable& blocks, llvm::ArrayRef<BlockId> origin);

  struct Frame {
    const llvm::BasicBlock* block;
  };

  void begin();
  // The blocks that were run since the last step, the one of the event last.
  llvm::ArrayRef<const llvm::BasicBlock*> step(BlockId event);
  const std::vector<Frame>& frames() const { return frames_; }

private:
  using Path = llvm::SmallVector<const llvm::BasicBlock*, 4>;
  const Path* find(const llvm::BasicBlock* from, BlockId event);
  bool search(const llvm::BasicBlock* from, BlockId event, Path& path) const;
  Path path_to_call(const llvm::BasicBlock* from, const llvm::Function& callee) const;
  void enter(const llvm::BasicBlock& entry);
  bool resume(BlockId event);
  void pass_parts();

  const BlockTable& blocks_;
  llvm::ArrayRef<BlockId> origin_;
  std::vector<const llvm::BasicBlock*> with_origin_; // one of the blocks with this origin
  std::vector<Frame> frames_;
  Path passed_;
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, BlockId>, Path> paths_; // empty: there is none
};

// The trace as the opened program would have made it.
Trace follow_trace(const Trace& trace, const BlockTable& blocks, llvm::ArrayRef<BlockId> origin);

} // namespace heddle
