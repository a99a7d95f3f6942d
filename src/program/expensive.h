// Expensive loads: where a packet is expected to wait for memory, as calls in the program.
//
// HEDDLE_EXPENSIVE(pointer), and a load of which the profile says so (openings.h), become a call of heddle_expensive_load(pointer, which), which ends its block, as all calls do: what waits for the
// memory stands behind it, and the edge between is where a packet may step aside. The call does nothing and is in no program that is
// built: it becomes a prefetch where a plan hides the load, and goes elsewhere.
#pragma once

#include "program/reads.h"

#include <optional>

namespace llvm {
class BasicBlock;
class CallBase;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace heddle {

// Makes the source's annotations calls of heddle_expensive_load.
void insert_expensive(llvm::Module& module);
// One before what reads memory, with the number of an opened load. The block is split; the new one, which begins with the read, is
// returned.
llvm::BasicBlock* mark_expensive(const MemoryRead& read, unsigned which);

// Which opened load a call marks; none: an annotation's.
std::optional<unsigned> opened_load_of(const llvm::CallBase& marker);

bool marks_expensive(const llvm::Instruction& instruction);
// The call that marks an expensive load and ends the block; null: none.
const llvm::CallBase* expensive_load_of(const llvm::BasicBlock& block);

// Marks it as hidden: a prefetch into that level of cache, 1 to 3, takes its place.
void hide_expensive(const llvm::BasicBlock& block, unsigned into);
// Prefetches an address into that level of cache, likewise.
void fetch_hidden(llvm::Instruction& before, llvm::Value& address, unsigned into);
// Prefetches for those that are hidden; all others go.
void finish_expensive(llvm::Module& module);
// Is it one of these? Where nobody steps aside it is of no use.
bool is_prefetch_of_hidden(const llvm::Instruction& instruction);

} // namespace heddle
