// Block tracing put into a program.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace heddle {

struct InstrumentOptions {
  std::string program; // Program::id, kept in the trace
  bool shared = false; // linked into a shared library
  bool loads = true;   // count what loads find in the data caches
};

struct InstrumentCount {
  size_t functions = 0, blocks = 0;
};

// Makes every block of `clone`, a clone of the prepared module, append its BlockId to the trace of
// src/profile/runtime, and every packet body say which it is. The clone's debug information is dropped.
// Errors: a module that does not verify afterwards.
llvm::Expected<InstrumentCount> instrument(llvm::Module& clone, const InstrumentOptions& options);

} // namespace heddle
