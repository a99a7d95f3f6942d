// Loads and stores made known to the simulated data caches (runtime/loads.c).
#pragma once

#include "llvm/IR/Instruction.h"
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
};

// Of a clone of the prepared module, before anything is done to it.
AccessPlaces find_accesses(llvm::Module& clone);

// Puts before each access
//     if (heddle_profile_watching) heddle_profile_access(address, load)
void watch_accesses(llvm::Module& clone, const AccessPlaces& places, bool shared);

} // namespace heddle
