// What makes an expensive load's address, and whether that could run earlier: where packets step aside for another load, so that both are
// fetched at once (docs/hide.md, "Fetched along").
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

#include <string>
#include <utility>

namespace llvm {
class CallBase;
class DataLayout;
class Function;
class Instruction;
class LoadInst;
class Value;
} // namespace llvm

namespace heddle {

struct AddressSlice {
  std::string obstacle;                                 // why the address is not known there; empty: it is
  llvm::SmallVector<const llvm::Instruction*, 16> made; // there as well, operands first
  // Loads that are not made, with another from the same place, whose value is known.
  llvm::DenseMap<const llvm::Value*, const llvm::LoadInst*> brought;
};

// For the marks (expensive.h) of one function, which must stay as it is meanwhile.
class AddressSlicer {
public:
  explicit AddressSlicer(const llvm::Function& function);

  llvm::ArrayRef<const llvm::CallBase*> marks() const { return marks_; }
  // Is one on every way to the other?
  bool comes_before(const llvm::CallBase& mark, const llvm::CallBase& other) const;
  // The address that `load` marks, made where `at` stands, which comes before it.
  AddressSlice slice(const llvm::CallBase& load, const llvm::CallBase& at) const;

private:
  friend class SliceSearch;

  using Place = std::pair<const llvm::Value*, int64_t>; // a pointer, and how many octets behind it
  Place place_of(const llvm::Value& pointer) const;

  const llvm::DataLayout& layout_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::DenseSet<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> ways_back_; // of loops
  llvm::SmallVector<const llvm::CallBase*, 8> marks_;
  llvm::DenseMap<Place, llvm::SmallVector<const llvm::LoadInst*, 2>> loads_;
  llvm::DenseMap<const llvm::Value*, llvm::SmallVector<const llvm::Instruction*, 4>>
      writes_; // by the pointer or variable
};

// Makes the address in front of an instruction. `load` and `slice` as above.
llvm::Value* make_address(const llvm::CallBase& load, const AddressSlice& slice, llvm::Instruction& before);

} // namespace heddle
