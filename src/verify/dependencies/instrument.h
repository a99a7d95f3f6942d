// Every load and store of a staged program made known to the checker's runtime.
#pragma once

#include "plan/plan.h"
#include "program/program.h"
#include "verify/dependencies/places.h"

namespace heddle {

// In which the packets of the checked run are.
enum class Order {
  Original, // one after the other; sites only note the packet's stage
  Staged,   // as the plan says
};

// What the numbers in the runtime's file mean.
struct CheckedProgram {
  Places places;
  std::vector<std::string> globals; // names, in the order of the runtime's table
  std::vector<std::string> unseen;  // outside functions whose accesses are not known
  size_t accesses = 0;              // instrumented instructions
};

// Applies the plan to `clone`, a clone of `program`'s module, and makes each access of memory known to src/verify/dependencies/runtime before it happens. The clone's debug
// information is dropped. Errors: a plan that does not fit; a module that does not verify afterwards.
llvm::Expected<CheckedProgram> instrument_accesses(llvm::Module& clone, const Program& program,
                                                   const Plan& plan, Order order);

} // namespace heddle
