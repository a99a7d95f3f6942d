// Code that waits for input in the middle of a packet.
#pragma once

namespace llvm {
class Module;
}

namespace heddle {

// In a program with a body that receives datagrams, the packets before the one that runs are finished before each call
// that waits for input other than these (poll, select, accept): one of them may hold the answer that the input is to
// come for. Outside a staged loop the inserted call does nothing. Returns how many were inserted.
unsigned finish_before_waiting(llvm::Module& module);

} // namespace heddle
