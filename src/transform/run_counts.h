// What a run of an interleaved body adds to the thread's counters (runtime/layout.h), and tells those outside who want to know.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle {

// Kept in variables while it runs.
struct RunCounts {
  enum Which { Batches, Crossings, Visits };
  llvm::AllocaInst* places[3];

  void begin(llvm::IRBuilder<>& builder) const;
  void add(llvm::IRBuilder<>& builder, Which which, llvm::Value* amount) const;
  void end(llvm::IRBuilder<>& builder) const;
};

// To runtime/counters.h: that a run of so many packets has ended; `one_by_one`: each ran to its end by itself. Goes on at `then`.
void tell_of_run(llvm::IRBuilder<>& builder, llvm::Value& packets, llvm::Value& one_by_one,
                 llvm::BasicBlock& then);

} // namespace heddle
