// Scratch behind a pointer: `[[scratch]]` of heddle.toml with `pointer` and `make`.
//
// Problem. A server reads each request into one buffer on the heap, and all packets reach it by one pointer, `c->buffer`. Nothing is
// handed on in it, but its address is in shared memory, so no copy of a variable would do. Alternatives: copies of the object's bytes,
// swapped at each switch (64 KiB of them), or found by comparing addresses (which way into the object?).
// Choice: each packet in flight has an object of its own, made by the function of the program's that makes such objects.
// Before the optimiser runs, every load of the pointer gets a call behind it, of a function of Heddle's:
//
//     ptr heddle_own_N(ptr p):  p and a staged packet runs ? (slot ? slot : slot = make()) : p
//
// `slot` is a variable of the thread, a scratch variable like any other: each packet in flight has a copy (transform/privatize.h).
// So an object is made when a packet first needs it, and serves all later packets in that place of a batch. What `make` calls is
// copied for it, so that the analysis tells the objects that are made there from the program's own.
//
// legal: the user says that nothing is handed on in such objects, that a packet never keeps a pointer to one, and that any made so will do.
#pragma once

#include "program/declarations.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class CallBase;
class Function;
class GlobalVariable;
class Module;
class Value;
} // namespace llvm

namespace heddle {

// Errors, with file and line: a pointer that the program has or reads nowhere, a function that does not fit.
llvm::Error insert_own_objects(llvm::Module& module, const Declarations& declarations);

// heddle_own_N, which gives a packet its object.
bool gives_own_object(const llvm::Function& function);
// Is it that, or part of how the object is made?
bool makes_own_object(const llvm::Function& function);
// Is it such an object, or its slot, by the place where it is made?
bool is_own_object(const llvm::Value& site);
// Which declaration a slot belongs to; null: it is none, or that is not among them.
const Declaration* declaration_of_slot(const Declarations& declarations, llvm::StringRef variable);

// Settles for each heddle_own_N whether a staged packet runs: `staged` says how, at the place of the given call of its and with the
// slot's address, or gives null for never.
void settle_own_objects(llvm::Module& module,
                        llvm::function_ref<llvm::Value*(llvm::CallBase& asked, llvm::CallBase& slot)> staged);
// Nobody has any.
void drop_own_objects(llvm::Module& module);

} // namespace heddle
