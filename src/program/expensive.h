// Expensive loads: where a packet is expected to wait for memory, as calls in the program.
//
// HEDDLE_EXPENSIVE(pointer) becomes a call of heddle_expensive_load(pointer), which ends its block, as all calls do: what waits for the
// memory stands behind it, and the edge between is where a packet may step aside. The call does nothing and is in no program that is
// built: it becomes a prefetch where a plan hides the load, and goes elsewhere.
#pragma once

namespace llvm {
class BasicBlock;
class CallBase;
class Module;
class Value;
} // namespace llvm

namespace heddle {

// Makes the source's annotations calls of heddle_expensive_load.
void insert_expensive(llvm::Module& module);

// The call that marks an expensive load and ends the block; null: none.
const llvm::CallBase* expensive_load_of(const llvm::BasicBlock& block);

// Marks it as hidden: a prefetch takes its place.
void hide_expensive(const llvm::BasicBlock& block);
// Prefetches for those that are hidden; all others go.
void finish_expensive(llvm::Module& module);

} // namespace heddle
