// Who calls whom before points-to is known: direct calls, and function pointers kept in fields.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>
#include <utility>

namespace heddle {

// A place in memory that has a name without points-to: a variable, or a field of a struct type (any
// object of the type). Good enough to follow a received count or a callback through a program's own tables.
using NamedPlace = std::pair<const void*, int64_t>;

// The place `pointer` refers to, if it is one.
std::optional<NamedPlace> named_place_of(const llvm::Value* pointer, const llvm::DataLayout& layout);

class CallSites {
public:
  explicit CallSites(llvm::Module& module);

  // Call sites that may reach `function`, and functions that a call may reach; indirect ones through places.
  llvm::ArrayRef<llvm::CallBase*> callers(const llvm::Function& function) const;
  llvm::SmallVector<llvm::Function*, 4> callees(const llvm::CallBase& call) const;

  llvm::ArrayRef<llvm::LoadInst*> loads(NamedPlace place) const;

  // The functions a value may be, as far as seen (through casts, arguments, selections and places).
  llvm::SmallVector<llvm::Function*, 4> functions_of(llvm::Value* value) const;

private:
  void read_initialiser(const llvm::Constant& value, NamedPlace place);
  void read_instruction(llvm::Instruction& instruction);

  const llvm::DataLayout& layout_;
  llvm::DenseMap<NamedPlace, llvm::SmallVector<llvm::LoadInst*, 4>> loads_;
  llvm::DenseMap<NamedPlace, llvm::SmallVector<llvm::Function*, 2>> kept_;
  llvm::DenseMap<const llvm::Function*, llvm::SmallVector<llvm::CallBase*, 4>> callers_;
};

} // namespace heddle
