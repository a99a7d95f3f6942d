// Code that ends the program, or jumps out of the packet loop, in the middle of a packet.
#pragma once

namespace llvm {
class Module;
}

namespace heddle {

// Before each call of an outside function that does not come back to its caller (exit and its kin, exec, longjmp,
// a library's fatal error), the packets before the one that runs are finished: as written they have ended by
// then. That no later packet has begun is the analysis's business (src/analysis/loop_control.h). Outside a staged
// loop the inserted call does nothing. Returns how many were inserted.
unsigned finish_before_leaving(llvm::Module& module);

} // namespace heddle
