// Values that a packet need not keep while it waits: made anew where it goes on.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class Instruction;
class Value;
} // namespace llvm

namespace heddle {

// Of values that are live at a place, those that can be made of the others, and of what `is_known` there anyway, in no more instructions than it takes to store
// and load them. They are taken out, and returned in an order in which they can be made.
llvm::SmallVector<llvm::Instruction*, 4> take_remade(llvm::SetVector<llvm::Instruction*>& live,
                                                     llvm::function_ref<bool(const llvm::Value&)> is_known);

// Makes them. What they are made of, and what is made, is in variables; null: it is the value itself.
void remake(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Instruction*> values,
            llvm::function_ref<llvm::AllocaInst*(llvm::Instruction&)> variable_of);

} // namespace heddle
