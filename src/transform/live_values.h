// Which values are live where, in a function's code.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"

#include <vector>

namespace heddle {

// Of values that more than one block uses, or a phi; arguments and constants are none. By iteration over the blocks, backwards.
class LiveValues {
public:
  explicit LiveValues(llvm::ArrayRef<llvm::BasicBlock*> blocks);

  llvm::SetVector<llvm::Instruction*> at_end(const llvm::BasicBlock& block) const;

private:
  llvm::BitVector uses_of(const llvm::BasicBlock& block) const;
  bool update(const llvm::BasicBlock& block);

  llvm::DenseMap<const llvm::Value*, unsigned> number_;
  std::vector<llvm::Instruction*> values_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> used_before_, in_, out_;
};

} // namespace heddle
