// What is the same for all packets of a batch is loaded once, in front of them.
#pragma once

namespace llvm {
class AllocaInst;
class BasicBlock;
class Function;
} // namespace llvm

namespace heddle {

// `env`: what crosses the border of a packet body, of which the function that runs the packets has a copy; `entry`: where it is
// made. Values that no packet writes, and the addresses of the others, go there.
void share_captured(llvm::AllocaInst& env, llvm::BasicBlock& entry);

// Variables of the program that nobody else can reach, and that `run`, the function with the body's code, does not write.
void share_globals(llvm::Function& run, llvm::BasicBlock& entry);

} // namespace heddle
