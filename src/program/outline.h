// From a packet loop to a packet body: the loop's blocks become a function that runs one iteration.
#pragma once

#include "program/program.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle {

// Either a body and the call that drives it, or the reason why there is none.
struct Outlined {
  llvm::Function* body = nullptr;
  llvm::CallBase* run = nullptr;
  Remark refusal; // code: loop-not-simple, setjmp-in-loop-function, computed-goto-in-loop, varargs-in-loop,
                  // musttail-in-loop, asm-goto-in-loop, coroutine-loop
};

// Outlines the loop with the given header into `heddle.body.<number>` and puts a call of heddle_run_loop in
// its place. The function must be in SSA form (promoted allocas).
Outlined outline_loop(llvm::BasicBlock& header, unsigned number);

// Replaces a call of pcap_loop or pcap_dispatch by its Heddle counterpart, with a body that calls `callback`.
Outlined outline_callback(llvm::CallBase& receive, llvm::Function& callback, unsigned number);

} // namespace heddle
