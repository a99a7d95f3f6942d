// Read-modify-write updates that commute: load, one operation, store, all of the same address.
#pragma once

#include "analysis/effects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle {

struct Update {
  UpdateOp op = UpdateOp::None;
  uint32_t id = 0;
};

class Updates {
public:
  explicit Updates(const llvm::Module& module);
  Update find(const llvm::Instruction& instruction) const { return updates_.lookup(&instruction); }

private:
  void match(const llvm::StoreInst& store);
  llvm::DenseMap<const llvm::Instruction*, Update> updates_;
  uint32_t next_ = 1;
};

} // namespace heddle
