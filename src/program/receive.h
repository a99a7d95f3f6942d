// Where the program receives, and which loop or callback handles one packet.
#pragma once

#include "program/program.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

#include <vector>

namespace heddle {

struct FoundBody {
  ReceiveKind kind;
  llvm::CallBase* receive = nullptr;               // the call of the receive interface, null for --body loops
  llvm::BasicBlock* header = nullptr;              // of the packet loop; null for a callback
  llvm::Function* callback = nullptr;              // null for a loop
  llvm::SmallVector<llvm::CallBase*, 2> datagrams; // calls that receive one for each iteration (datagrams.h)
};

// Packet loops and callbacks of the module, in module order. The functions must be in SSA form. What was
// seen and not taken is told in `remarks` (packet-loop-candidate, no-packet-loop, callback-unknown).
std::vector<FoundBody> find_bodies(llvm::Module& module, std::vector<Remark>& remarks);

// The body that --body FUNCTION[:loop] names. `loop` is an index in the order of the loop tree or a source
// line; without one, the largest outermost loop. Errors: unknown function, no such loop, nothing to outline.
llvm::Expected<FoundBody> named_body(llvm::Module& module, llvm::StringRef text);

} // namespace heddle
