// Read-modify-write updates that commute: a load, one operation and a store of the same address.
//
//     sum += n;   bits |= b;                 in one block, so no site comes between
//     __atomic_fetch_add(&sum, n, ...);      where the result is not used
//     if (x > most) most = x;                the load decides that store and nothing else
//
// The last kind runs over an edge of the control flow. No site may stand there (joined()), and no gate: where the
// store is rare code and the load is not, it is no update. All kinds are found where they are written, also in
// functions that get the address as an argument.
//
// Only naturally aligned ones, so that two updates of one size meet in all their bytes or in none.
//
// An update whose old value goes anywhere else is none: a saturating counter (`if (n < limit) n++`) compares it
// and adds to it, and which packet finds it full depends on the order.
#pragma once

#include "analysis/effects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle {

struct Update {
  UpdateOp op = UpdateOp::None;
  uint32_t id = 0;
};

class Updates {
public:
  explicit Updates(const llvm::Module& module, const RareBlocks& rare = {});
  Update find(const llvm::Instruction& instruction) const { return updates_.lookup(&instruction); }
  // Is there an update with its load in `from` and its store in `to`, the next block?
  bool joined(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const {
    return joined_.contains({&from, &to});
  }

private:
  void match_operation(const llvm::StoreInst& store);
  void match_choice(const llvm::StoreInst& store, const RareBlocks& rare);
  llvm::DenseMap<const llvm::Instruction*, Update> updates_;
  llvm::DenseSet<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> joined_;
  uint32_t next_ = 1;
};

} // namespace heddle
