// Which blocks are rare code, and where a packet gets into it (docs/design.md, "Rare paths").
#pragma once

#include "analysis/commuting.h"
#include "analysis/points_to.h"
#include "program/program.h"

namespace heddle {

// Described by a model, or an allocator by name: never opened.
bool is_opaque(const llvm::Function& function);

// What may run, in the middle of anything, in signal handlers that the runtime does not know of.
llvm::DenseSet<const llvm::Function*> run_by_signals(const PointsTo& points_to);

// Rare blocks, by number. Not exception pads (nothing can stand before them), not functions described by models, not what
// may run in a signal handler or within a call of a commuting group, not the beginning of a body, and not detours (detours.h).
class Rarity {
public:
  Rarity(const Program& program, const BlockTable& blocks, const PointsTo& points_to,
         const CommutingGroups& groups, const std::function<bool(BlockId)>& rare);

  bool operator()(const llvm::BasicBlock& block) const { return rare_[blocks_.id(&block)]; }

  // Where a packet can get from common into rare code: rare blocks with a common predecessor, and the first
  // blocks of functions.
  std::vector<BlockId> gates(const std::vector<const llvm::Function*>& functions) const;

private:
  const BlockTable& blocks_;
  std::vector<bool> rare_;
};

} // namespace heddle
