// Loads and stores made known to the simulated data caches (runtime/loads.c).
#pragma once

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <vector>

namespace heddle {

struct AccessPlaces {
  struct Place {
    llvm::Instruction* access;
    llvm::Value* address;
    uint32_t load; // its number in counted_loads(), or that of stores
  };
  std::vector<Place> all;
  std::vector<llvm::CallInst*> calls; // by number in timed_calls()
};

// Of a clone of the prepared module, before anything is done to it.
AccessPlaces find_accesses(llvm::Module& clone);

// Puts before each access
//     if (heddle_profile_watching) heddle_profile_access(address, load)
// and around each call of a function outside of the program
//     before = time stamp counter; the call; heddle_profile_called(before, call)
void watch_accesses(llvm::Module& clone, const AccessPlaces& places, bool shared);

} // namespace heddle
