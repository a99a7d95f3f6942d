// Where values lie in the frame that a packet keeps while it waits.
#pragma once

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

#include <vector>

namespace heddle {

// Values that are never live at one wait together share a field. First all are added, then the layout is finished.
class FrameLayout {
public:
  explicit FrameLayout(const llvm::DataLayout& layout) : layout_(layout) {}

  // A variable in memory: its address is known, so its bytes are the packet's for as long as it lives.
  void add_memory(llvm::Instruction& variable, uint64_t bytes, llvm::Align alignment);
  // A value and the waits across which it is live. `alone`: it has its field for longer than that.
  void add(llvm::Instruction& value, llvm::BitVector waits, bool alone);
  void finish();

  uint64_t size() const { return size_; } // bytes
  llvm::Align alignment() const { return alignment_; }
  // Offset and alignment.
  std::pair<uint64_t, llvm::Align> of(const llvm::Instruction& value) const {
    return offsets_.lookup(&value);
  }

private:
  struct Field {
    uint64_t bytes;
    llvm::Align alignment;
    llvm::BitVector waits;
    llvm::SmallVector<llvm::Instruction*, 2> values;
    size_t number;
    bool alone;
  };
  struct Memory {
    llvm::Instruction* variable;
    uint64_t bytes;
    llvm::Align alignment;
  };
  void place(uint64_t bytes, llvm::Align alignment);

  const llvm::DataLayout& layout_;
  std::vector<Field> fields_;
  std::vector<Memory> memory_;
  llvm::DenseMap<const llvm::Instruction*, std::pair<uint64_t, llvm::Align>> offsets_;
  uint64_t size_ = 0, last_ = 0;
  llvm::Align alignment_{1};
};

} // namespace heddle
