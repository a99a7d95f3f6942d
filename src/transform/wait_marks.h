// Marks of where the packets of an interleaved body wait: calls of a function that does nothing, until interleave() (interleave.h)
// makes passes of them.
#pragma once

#include "transform/site.h"

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallInst;
class Instruction;
} // namespace llvm

namespace heddle {

// In place of a site (site.h), in a body that is interleaved: where a packet waits to enter `stage`. What comes before an ordered
// stage is a wait; so is what comes before an expensive load that is hidden. Other sites of such bodies are no places to wait.
void insert_wait(llvm::BasicBlock& from, llvm::BasicBlock& to, unsigned stage, const SiteKeeps& keeps);

// Likewise, in a loop that packets are to run side by side in so many lanes (lanes.h).
void insert_lanes(llvm::BasicBlock& from, llvm::BasicBlock& to, unsigned stage, unsigned lanes);

bool is_wait(const llvm::Instruction& instruction);
llvm::SmallVector<llvm::CallInst*, 8> waits_in(llvm::Function& function);
unsigned stage_of_wait(const llvm::CallInst& wait);
unsigned lanes_of_wait(const llvm::CallInst& wait); // 0: a wait without lanes

// Removes what the marks call. False: there is a mark left.
bool end_of_waits(llvm::Module& module);

} // namespace heddle
