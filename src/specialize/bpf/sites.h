// Where a program looks up, updates and deletes, and what becomes of the pointers it gets.
#pragma once

#include "specialize/table.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class CallInst;
class Function;
class GlobalVariable;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace heddle {

// Numbers of helper functions, as in the kernel's interface.
enum class Helper : uint64_t {
  MapLookup = 1,
  MapUpdate = 2,
  MapDelete = 3,
  CsumDiff = 28,
};

// The number of the helper function that is called, or 0.
uint64_t helper_of(const llvm::CallInst& call);

struct MapUses {
  llvm::GlobalVariable* map = nullptr;
  std::string name;
  std::vector<llvm::CallInst*> lookups, updates, deletes;
  // Why the program may change what is in the map, or may use it in a way that is not understood: a reason code, and the place.
  // Both empty: its data plane adds and removes no entry, and changes no bytes of values but these, in place.
  std::string reason, where;
  std::vector<ByteRange> written;
  std::string first_write; // the place of one
};

// Of every map in the module, in order of definition. The module has been optimised: helpers are called by their numbers, and
// pointers to values are in registers.
std::vector<MapUses> find_map_uses(llvm::Module& module);

// Whether the instruction may read what another party changes meanwhile, or may change what another party sees: a packet, its
// context, the stack, constants, and values of the lookups in `inlined` are the program's own while it runs, all else is not.
bool meets_others(const llvm::Instruction& instruction,
                  const llvm::SmallPtrSetImpl<const llvm::Value*>& inlined);

// Whether `pointer` is surely to such memory of the program's own.
bool is_own_memory(const llvm::Value& pointer, const llvm::SmallPtrSetImpl<const llvm::Value*>& inlined);

// "file:line" of the instruction, or its function's name.
std::string place_of(const llvm::Instruction& instruction);

} // namespace heddle
